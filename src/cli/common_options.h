// What the commands that infer have in common: options, loading, exit codes.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "anchors/merge.h"
#include "diag/finding.h"
#include "infer/infer.h"
#include "support/result.h"

namespace CLI {  // NOLINT(readability-identifier-naming): theirs
class App;
}

namespace onnx_shapes {

struct CommonArguments {
  std::vector<std::string> dims;           // NAME=NUMBER
  std::string dim_params = "expressions";  // expressions, opaque
  bool assume_nonempty = false;
  bool quiet = false;
  bool verbose = false;
  std::string format = "text";      // one of kFormats
  std::vector<std::string> select;  // codes, their beginnings or names; empty: all
  std::vector<std::string> ignore;
  std::string fail_on = "error";  // error, warning, note, never
  uint32_t max_rank = 256;
  uint32_t max_nesting = 100;
  uint64_t max_nodes = 10'000'000;
  uint64_t max_visits = 20'000'000;
  double timeout = 0;  // seconds; 0: none
};

/// The headings under which --help lists the options.
constexpr char kAnnotationOptions[] = "Annotations";
constexpr char kReportOptions[] = "Report";
constexpr char kLimitOptions[] = "Limits";

/// How the author's annotations are read.
void add_reading_options(CLI::App& command, CommonArguments& arguments);

/// Whose declared dims count.
void add_trust_option(CLI::App& command, std::string& trust);
[[nodiscard]] Trust trust_of(std::string_view text);

/// What is printed, and what makes the command fail.
void add_report_options(CLI::App& command, CommonArguments& arguments);

void add_limit_options(CLI::App& command, CommonArguments& arguments);

/// Adds what is wrong with a model that can be read to `findings`.
[[nodiscard]] Expected<Model> load_model(const std::string& path, const CommonArguments& arguments,
                                         Findings& findings);

/// `start` is when the time limit begins to count.
[[nodiscard]] InferOptions infer_options(const CommonArguments& arguments,
                                         std::chrono::steady_clock::time_point start);

/// Reads the texts NAME=NUMBER of --dim; the complaint if one is something else, or names what the
/// model does not declare.
[[nodiscard]] std::optional<std::string> read_dims(const std::vector<std::string>& texts,
                                                   const Model& model, DeclareOptions& options);

/// The severity that `fail_on` stands for; nothing for never.
[[nodiscard]] std::optional<Severity> fail_level(std::string_view fail_on);

/// The least severity that is printed: what makes a run fail always is.
[[nodiscard]] Severity least_shown(const CommonArguments& arguments);

/// Prints the complaint about a wrong use and returns its exit code.
int usage(const std::string& complaint);

/// What the process ends with, by the findings; `fail_on` is error, warning, note or never.
[[nodiscard]] int exit_code(const Findings& findings, std::string_view fail_on);

}  // namespace onnx_shapes
