#include "cli/explain_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/cli.h"
#include "cli/common_options.h"
#include "cli/finding_pages.h"
#include "diag/text_writer.h"

namespace onnx_shapes {

CLI::App* add_explain_command(CLI::App& app, ExplainArguments& arguments) {
  CLI::App* explain = app.add_subcommand("explain", "Say what the code of a finding means");
  explain->add_option("code", arguments.code, "SHP203, 203 or dim-contradiction")->required();
  return explain;
}

CLI::App* add_rules_command(CLI::App& app) {
  return app.add_subcommand("rules", "List the codes of all findings");
}

int run_explain(const ExplainArguments& arguments) {
  const std::vector<CodeInfo>& codes = all_codes();
  const auto found = std::find_if(codes.begin(), codes.end(), [&](const CodeInfo& info) {
    return arguments.code == code_id(info.code) || arguments.code == code_name(info.code) ||
           arguments.code == code_id(info.code).substr(3);
  });
  if (found == codes.end()) {
    return usage(
        fmt::format("there is no code '{}'; onnx-shapes rules lists them", arguments.code));
  }
  for (const auto& [code, page] : kFindingPages) {
    if (code == code_id(found->code)) fmt::print("{}", page);
  }
  return kExitClean;
}

int run_rules() {
  for (const CodeInfo& info : all_codes()) {
    fmt::print("{}  {:<8} {:<24} {}\n", code_id(info.code), severity_name(info.severity),
               code_name(info.code), info.summary);
  }
  return kExitClean;
}

}  // namespace onnx_shapes
