// Bounds as metadata of annotations: one entry of ours among others, which stay byte for byte.
#include "model/annotate.h"
#include "model/write_metadata.h"
#include "tests/support/splice_bytes.h"
#include "tests/support/text_model.h"

namespace onnx_shapes::test {
namespace {

using Role = Annotation::Role;

constexpr char kModel[] =
    "g (float[N] x) => (float[M] y) <float[K] h> { h = Neg(x) k = Abs(h) y = Exp(k) }";

void add_entry(onnx::ValueInfoProto& info, const std::string& key, const std::string& value) {
  onnx::StringStringEntryProto& entry = *info.add_metadata_props();
  entry.set_key(key);
  entry.set_value(value);
}

onnx::ModelProto parsed(const std::string& bytes) {
  onnx::ModelProto proto;
  REQUIRE(proto.ParseFromString(bytes));
  return proto;
}

std::string edited(const LoadedModel& model, const AnnotationChanges& changes) {
  return splice_bytes(*model.model, annotation_edits(*model.model, changes));
}

TEST_CASE("An entry is added, replaced and removed; others stay") {
  const LoadedModel model = load_text(with_header(kModel), [](onnx::ModelProto& proto) {
    add_entry(*proto.mutable_graph()->mutable_output(0), "device", "CPU");
  });
  const ValueId y = model.value("y");
  const std::string first =
      edited(model, {.set = {}, .bounds = {{y, Role::kOutput, "{1}"}}, .remove = {}});
  onnx::ModelProto expected = parsed(model.bytes);
  add_entry(*expected.mutable_graph()->mutable_output(0), "onnx_shapes.bounds", "{1}");
  CHECK((parsed(first).SerializeAsString() == expected.SerializeAsString()));

  const LoadedModel again(first);
  CHECK(again.model->annotations()[again.model->value(y).output_annotation].bounds == "{1}");
  CHECK((edited(again, {.set = {}, .bounds = {{y, Role::kOutput, "{1}"}}, .remove = {}}) == first));
  const std::string other =
      edited(again, {.set = {}, .bounds = {{y, Role::kOutput, "{2}"}}, .remove = {}});
  expected.mutable_graph()->mutable_output(0)->mutable_metadata_props(1)->set_value("{2}");
  CHECK((parsed(other).SerializeAsString() == expected.SerializeAsString()));
  CHECK((edited(again, {.set = {}, .bounds = {{y, Role::kOutput, ""}}, .remove = {}}) ==
         model.bytes));
}

TEST_CASE("Bounds and a type are set at once, also where there was no annotation") {
  const LoadedModel model = load_text(with_header(kModel));
  const WrittenType type = {.kind = DeclaredType::Kind::kTensor,
                            .elem = ElemType::kFloat,
                            .has_shape = true,
                            .dims = {"Z"},
                            .element = nullptr};
  const onnx::ModelProto proto =
      parsed(edited(model, {.set = {{model.value("h"), Role::kValueInfo, type},
                                    {model.value("k"), Role::kValueInfo, type}},
                            .bounds = {{model.value("h"), Role::kValueInfo, "{h}"},
                                       {model.value("k"), Role::kValueInfo, "{k}"}},
                            .remove = {}}));
  REQUIRE(proto.graph().value_info_size() == 2);
  for (const onnx::ValueInfoProto& info : proto.graph().value_info()) {
    CHECK(info.type().tensor_type().shape().dim(0).dim_param() == "Z");
    REQUIRE(info.metadata_props_size() == 1);
    CHECK(info.metadata_props(0).key() == "onnx_shapes.bounds");
    CHECK(info.metadata_props(0).value() == "{" + info.name() + "}");
  }
  // Of an annotation that goes, they go too.
  const uint32_t h = model.model->value(model.value("h")).value_info;
  CHECK(parsed(edited(model, {.set = {},
                              .bounds = {{model.value("h"), Role::kValueInfo, "{h}"}},
                              .remove = {h}}))
            .graph()
            .value_info_size() == 0);
}

TEST_CASE("An entry keeps its place, and is there once") {
  // name (1), two entries (4) of the same key around another one, type (2): not in order.
  const std::string ours = std::string("\x22\x06\x0a\x01k\x12\x01") + "1";
  const std::string twin = std::string("\x22\x06\x0a\x01k\x12\x01") + "2";
  const std::string other = std::string("\x22\x06\x0a\x01j\x12\x01") + "9";
  const std::string type("\x12\x00", 2);
  const std::string name = "\x0a\x01y";
  const std::string info = ours + type + other + name + twin;
  const std::string mine = std::string("\x22\x06\x0a\x01k\x12\x01") + "3";
  CHECK(with_metadata(info, "k", "3") == mine + type + other + name);
  CHECK(with_metadata(info, "k", "") == type + other + name);
  CHECK(with_metadata(type + other, "k", "3") == type + other + mine);
  CHECK(with_metadata(type + other, "k", "") == type + other);
  CHECK(with_metadata("", "k", "3") == mine);
}

}  // namespace
}  // namespace onnx_shapes::test
