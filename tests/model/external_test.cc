// External data: found only in the model's folder, and read only when asked for.
#include <unistd.h>

#include <filesystem>

#include "tests/model/faults.h"
#include "tests/wire/folder.h"

namespace onnx_shapes::test {
namespace {

namespace fs = std::filesystem;

using Entries = std::vector<std::pair<std::string, std::string>>;

/// A folder with a model's folder in it, and a file beside that.
class ModelFolder {
 public:
  ModelFolder() {
    fs::create_directory(folder_ / "models");
    folder_.write("secret.bin", "12345678");
    folder_.write("models/data.bin",
                  std::string("\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0", 24));
  }

  [[nodiscard]] fs::path path() const { return folder_.path(); }
  [[nodiscard]] std::string model_path() const { return folder_ / "models/model.onnx"; }

  /// A model with an int64 initializer of two elements that is external.
  [[nodiscard]] LoadedModel load(const Entries& entries, const std::string& name = "") const {
    onnx::ModelProto proto =
        parse_model(with_header("g () => (int64[2] y) <int64[2] w = {0, 0}> { y = Identity (w) }"));
    onnx::TensorProto& tensor = *proto.mutable_graph()->mutable_initializer(0);
    tensor.clear_int64_data();
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    for (const auto& [key, value] : entries) {
      onnx::StringStringEntryProto& entry = *tensor.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
    return LoadedModel(proto.SerializeAsString(), {}, name.empty() ? model_path() : name);
  }

 private:
  Folder folder_;
};

TEST_CASE("external elements") {
  const ModelFolder folder;
  const std::vector<std::pair<Entries, std::vector<int64_t>>> rows = {
      {{{"location", "data.bin"}}, {1, 2}},
      {{{"location", "data.bin"}, {"offset", "8"}}, {2, 3}},
      {{{"location", "data.bin"}, {"offset", "8"}, {"length", "16"}}, {2, 3}},
      {{{"location", "./data.bin"}, {"checksum", "x"}}, {1, 2}},
  };
  for (const auto& [entries, expected] : rows) {
    const LoadedModel model = folder.load(entries);
    CHECK(model.report().empty());
    CHECK(model.model->tensor(0).external);
    Findings findings;
    CHECK(model.model->int_elements(0, 8, findings) == expected);
  }
}

TEST_CASE("external data outside of the model's folder") {
  const ModelFolder folder;
  fs::create_symlink("../secret.bin", folder.path() / "models" / "link.bin");
  fs::create_directory_symlink("..", folder.path() / "models" / "up");
  const std::vector<std::string> locations = {"../secret.bin",
                                              "./../secret.bin",
                                              "a/../../secret.bin",
                                              "..",
                                              "up/secret.bin",
                                              (folder.path() / "secret.bin").string(),
                                              "link.bin",
                                              "/etc/passwd",
                                              std::string("data.bin\0x", 10)};
  for (const std::string& location : locations) {
    INFO(location);
    const LoadedModel model = folder.load({{"location", location}});
    CHECK(check_faults(model.findings, {"SHP601 w folder"}) == "");
    Findings findings;
    CHECK(model.model->int_elements(0, 8, findings) == std::nullopt);
  }
}

TEST_CASE("external data past the end of its file") {
  const ModelFolder folder;
  const std::vector<Entries> rows = {
      {{"location", "data.bin"}, {"offset", "9"}},
      {{"location", "data.bin"}, {"offset", "24"}},
      {{"location", "data.bin"}, {"offset", "18446744073709551608"}, {"length", "16"}},
      {{"location", "data.bin"}, {"offset", "18446744073709551616"}},
      {{"location", "data.bin"}, {"offset", "-1"}},
      {{"location", "data.bin"}, {"length", "0x10"}},
  };
  for (const Entries& entries : rows) {
    INFO(entries.back().second);
    const LoadedModel model = folder.load(entries);
    CHECK(check_faults(model.findings, {"SHP602 w"}) == "");
    Findings findings;
    CHECK(model.model->int_elements(0, 8, findings) == std::nullopt);
  }
  // Less and more than the dims ask for: ONNX Runtime refuses both.
  for (const char* length : {"8", "24"}) {
    const LoadedModel model = folder.load({{"location", "data.bin"}, {"length", length}});
    CHECK(check_faults(model.findings, {"SHP011 w 16 " + std::string(length)}) == "");
  }
}

TEST_CASE("external data that is not there") {
  const ModelFolder folder;
  fs::create_directory(folder.path() / "models" / "folder");
  for (const char* location : {"none.bin", "folder", ""}) {
    const LoadedModel model = folder.load({{"location", location}});
    CHECK(check_faults(model.findings, {"SHP603"}) == "");
    Findings findings;
    CHECK(model.model->int_elements(0, 8, findings) == std::nullopt);
  }
}

TEST_CASE("a file that is missing is reported once") {
  const ModelFolder folder;
  onnx::ModelProto proto = parse_model(
      with_header("g () => (int64 y) <int64 a = {0}, int64 b = {0}> { y = Add (a, b) }"));
  for (onnx::TensorProto& tensor : *proto.mutable_graph()->mutable_initializer()) {
    tensor.clear_int64_data();
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    onnx::StringStringEntryProto& entry = *tensor.add_external_data();
    entry.set_key("location");
    entry.set_value("weights.bin");
  }
  const LoadedModel model(proto.SerializeAsString(), {}, folder.model_path());
  CHECK(check_faults(model.findings, {"SHP603 weights.bin"}) == "");
}

TEST_CASE("a model from standard input has no folder") {
  const ModelFolder folder;
  const LoadedModel model = folder.load({{"location", "data.bin"}}, "<stdin>");
  CHECK(model.findings.empty());
  Findings findings;
  CHECK(model.model->int_elements(0, 8, findings) == std::nullopt);
  const LoadedModel outside = folder.load({{"location", "../secret.bin"}}, "<stdin>");
  CHECK(check_faults(outside.findings, {"SHP601 w"}) == "");
}

TEST_CASE("external files are not opened to load a model") {
  if (::geteuid() == 0) return;  // root may read everything
  const ModelFolder folder;
  fs::permissions(folder.path() / "models" / "data.bin", fs::perms::none);
  const LoadedModel model = folder.load({{"location", "data.bin"}});
  CHECK(model.findings.empty());
  Findings findings;
  CHECK(model.model->int_elements(0, 8, findings) == std::nullopt);
  CHECK(check_faults(findings, {"SHP603"}) == "");
}

}  // namespace
}  // namespace onnx_shapes::test
