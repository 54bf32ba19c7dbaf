// Runs the command of each file in tests/golden/ on the model it holds, and compares the exit code,
// the report and the annotations of the written model with what the file says.
//
// A file has sections that start with a line `=== name`:
//   a comment on what it shows (before the first section)
//   === command    the arguments; {model} and {out} stand for the two files
//   === model      ONNX text (as the onnx parser reads it)
//   === dims       lines `name = text`: the dims of that name have this text (the parser reads
//   names)
//   === exit       the exit code
//   === report     standard output and standard error
//   === written    each annotation of the written model, a line each, with its metadata; absent if
//   nothing is written
// ONNX_SHAPES_REBASE=1 (scripts/golden --rebase) rewrites the last three: read the difference
// before committing it, since nobody else checks that it is right.
#include <fmt/format.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/text_model.h"

namespace onnx_shapes::test {
namespace {

namespace fs = std::filesystem;

struct Golden {
  std::string comment;
  std::map<std::string, std::string> sections;
};

std::string read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream content;
  content << stream.rdbuf();
  return content.str();
}

Golden read_golden(const fs::path& path) {
  Golden golden;
  std::istringstream lines(read_file(path));
  std::string* target = &golden.comment;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("=== ")) {
      target = &golden.sections[line.substr(4)];
    } else {
      *target += line + "\n";
    }
  }
  return golden;
}

std::string text_of(const onnx::TypeProto& type) {
  const auto tensor = [](const auto& tensor_type) {
    std::string text(elem_type_name(elem_type(tensor_type.elem_type())));
    if (!tensor_type.has_shape()) return text + "?";
    std::vector<std::string> dims;
    for (const auto& dim : tensor_type.shape().dim()) {
      dims.push_back(dim.has_dim_value()   ? std::to_string(dim.dim_value())
                     : dim.has_dim_param() ? dim.dim_param()
                                           : "_");
    }
    return fmt::format("{}[{}]", text, fmt::join(dims, ", "));
  };
  switch (type.value_case()) {
    case onnx::TypeProto::kTensorType:
      return tensor(type.tensor_type());
    case onnx::TypeProto::kSparseTensorType:
      return fmt::format("sparse({})", tensor(type.sparse_tensor_type()));
    case onnx::TypeProto::kSequenceType:
      return fmt::format("seq({})", text_of(type.sequence_type().elem_type()));
    case onnx::TypeProto::kOptionalType:
      return fmt::format("optional({})", text_of(type.optional_type().elem_type()));
    case onnx::TypeProto::kMapType:
      return fmt::format("map({}, {})", elem_type_name(elem_type(type.map_type().key_type())),
                         text_of(type.map_type().value_type()));
    default:
      return "untyped";
  }
}

void append(std::string& out, const std::string& path, const char* role,
            const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>& infos) {
  for (const onnx::ValueInfoProto& info : infos) {
    out += fmt::format("{} {} {}: {}", path, role, info.name(), text_of(info.type()));
    for (const auto& entry : info.metadata_props()) {
      out += fmt::format("  {} = {}", entry.key(), entry.value());
    }
    out += "\n";
  }
}

void append_bodies(std::string& out, const std::string& path,
                   const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes);

void append(std::string& out, const std::string& path, const onnx::GraphProto& graph) {
  append(out, path, "input", graph.input());
  append(out, path, "value_info", graph.value_info());
  append(out, path, "output", graph.output());
  append_bodies(out, path, graph.node());
}

void append_bodies(std::string& out, const std::string& path,
                   const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes) {
  for (const onnx::NodeProto& node : nodes) {
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (!attribute.has_g()) continue;
      append(out, fmt::format("{}/{}.{}", path, node.op_type(), attribute.name()), attribute.g());
    }
  }
}

std::string annotations(const onnx::ModelProto& model) {
  std::string out;
  append(out, "graph", model.graph());
  for (const onnx::FunctionProto& function : model.functions()) {
    const std::string path = fmt::format("function {}:{}", function.domain(), function.name());
    append(out, path, "value_info", function.value_info());
    append_bodies(out, path, function.node());
  }
  return out;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// `name = text` lines as a map.
std::map<std::string, std::string> dim_texts(const std::string& section) {
  std::map<std::string, std::string> texts;
  std::istringstream lines(section);
  for (std::string line; std::getline(lines, line);) {
    const size_t equals = line.find(" = ");
    REQUIRE(equals != std::string::npos);
    texts[line.substr(0, equals)] = line.substr(equals + 3);
  }
  return texts;
}

void rename_dims(google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>& infos,
                 const std::map<std::string, std::string>& texts) {
  for (onnx::ValueInfoProto& info : infos) {
    if (!info.type().has_tensor_type()) continue;
    for (auto& dim : *info.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim()) {
      const auto text = texts.find(dim.dim_param());
      if (text != texts.end()) dim.set_dim_param(text->second);
    }
  }
}

std::string section(const Golden& golden, const std::string& name) {
  const auto found = golden.sections.find(name);
  return found == golden.sections.end() ? std::string() : found->second;
}

onnx::ModelProto model_of(const Golden& golden) {
  onnx::ModelProto model = parse_model(section(golden, "model"));
  const std::map<std::string, std::string> texts = dim_texts(section(golden, "dims"));
  if (texts.empty()) return model;
  rename_dims(*model.mutable_graph()->mutable_input(), texts);
  rename_dims(*model.mutable_graph()->mutable_output(), texts);
  rename_dims(*model.mutable_graph()->mutable_value_info(), texts);
  return model;
}

struct Outcome {
  std::string exit, report, written;
};

Outcome run(const Golden& golden, const fs::path& folder) {
  const fs::path model = folder / "model.onnx";
  const fs::path out = folder / "out.onnx";
  fs::remove(out);
  std::ofstream(model, std::ios::binary) << model_of(golden).SerializeAsString();
  std::string arguments = section(golden, "command");
  arguments.erase(arguments.find_last_not_of('\n') + 1);
  replace_all(arguments, "{model}", model.string());
  replace_all(arguments, "{out}", out.string());
  const std::string command =
      fmt::format("{}/bin/onnx-shapes {} 2>&1", ONNX_SHAPES_BINARY_DIR, arguments);
  Outcome outcome;
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::array<char, 4096> buffer;
  for (size_t size = 0; (size = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    outcome.report.append(buffer.data(), size);
  }
  const int status = pclose(pipe);
  outcome.exit = WIFEXITED(status) ? fmt::format("{}\n", WEXITSTATUS(status)) : "crashed\n";
  replace_all(outcome.report, folder.string() + "/", "");
  if (fs::exists(out)) {
    onnx::ModelProto written;
    REQUIRE(written.ParseFromString(read_file(out)));
    outcome.written = annotations(written);
  }
  return outcome;
}

void rebase(const fs::path& path, const Golden& golden, const Outcome& outcome) {
  std::ofstream file(path, std::ios::binary);
  file << golden.comment << "=== command\n"
       << section(golden, "command") << "=== model\n"
       << section(golden, "model");
  if (!section(golden, "dims").empty()) file << "=== dims\n" << section(golden, "dims");
  file << "=== exit\n" << outcome.exit << "=== report\n" << outcome.report;
  if (!outcome.written.empty()) file << "=== written\n" << outcome.written;
}

TEST_CASE("Golden files") {
  const fs::path source = fs::path(ONNX_SHAPES_SOURCE_DIR) / "tests/golden";
  const fs::path folder = fs::path(ONNX_SHAPES_BINARY_DIR) / "golden";
  fs::create_directories(folder);
  const char* wanted = std::getenv("ONNX_SHAPES_REBASE");
  size_t count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(source)) {
    if (entry.path().extension() != ".golden") continue;
    ++count;
    INFO(entry.path().filename().string());
    const Golden golden = read_golden(entry.path());
    const Outcome outcome = run(golden, folder);
    if (wanted != nullptr && *wanted == '1') {
      rebase(entry.path(), golden, outcome);
      continue;
    }
    CHECK(outcome.exit == section(golden, "exit"));
    CHECK(outcome.report == section(golden, "report"));
    CHECK(outcome.written == section(golden, "written"));
  }
  CHECK(count > 0);
}

}  // namespace
}  // namespace onnx_shapes::test
