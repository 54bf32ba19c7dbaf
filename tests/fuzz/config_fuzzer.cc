// Reads any bytes as a config file. A complaint is one short line; what is read holds for models
// without more ado.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "gate/config.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer names it
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace onnx_shapes;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = parse_config(text, "folder/onnx-shapes.toml");
  if (!config) {
    const std::string& complaint = config.reason();
    require(complaint.starts_with("folder/onnx-shapes.toml:"));
    require(complaint.find('\n') == std::string::npos && complaint.size() < 2000);
    return 0;
  }
  require(!config->sections.empty() && config->sections.front().files.empty());
  for (const char* model : {"folder/m.onnx", "folder/a/b/c.onnx", "/m.onnx", "-"}) {
    const std::vector<AppliedEntry> applied = entries_for(*config, model);
    require(applied.size() <= config_keys().size());
    for (const AppliedEntry& each : applied) require(each.entry != nullptr && each.entry->line > 0);
  }
  return 0;
}
