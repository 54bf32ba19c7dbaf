// Runs `check` on several models at once, and reports on them in their order.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <exception>
#include <map>
#include <thread>

#include "cli/check_report.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/settings.h"
#include "diag/printable.h"
#include "diag/text_writer.h"
#include "gate/baseline.h"
#include "gate/glob.h"
#include "gate/in_order.h"
#include "gate/selection.h"

namespace onnx_shapes {
namespace {

/// With a baseline every finding counts, since those that it does not list must be told.
constexpr size_t kMaxFindingsWithBaseline = 1'000'000;

/// Of models checked, for the line at the end.
struct Totals {
  size_t clean = 0;
  size_t failed = 0;     // findings at or above --fail-on
  size_t unchecked = 0;  // not read, or not to the end
  size_t errors = 0;
  size_t warnings = 0;
  size_t known = 0;  // findings that the baseline lists

  void add(const Findings& findings, int code) {
    const size_t with_warnings = findings.count(Severity::kWarning);
    errors += findings.count(Severity::kError);
    warnings += with_warnings - findings.count(Severity::kError);
    ++(code == kExitClean ? clean : code == kExitFindings ? failed : unchecked);
  }
};

class Gate {
 public:
  explicit Gate(const CheckArguments& arguments) : arguments_(arguments) {}

  int run();

 private:
  /// A model of which the report is kept, since the document comes at the end.
  struct Kept {
    std::string file;
    Findings findings;
    std::string fail_on;
    std::vector<RunReport> runs;
  };

  /// These return the complaint if something is wrong.
  std::optional<std::string> prepare();
  std::optional<std::string> prepare_baselines();

  ModelReport check(size_t index, Progress& progress) const;
  void report(size_t index, ModelReport report);
  [[nodiscard]] Findings apply_baseline(const Settings& settings, const Findings& found,
                                        const Findings& selected);
  void print(const Settings& settings, const ModelReport& report, int code) const;
  void tell_gone();
  void print_document();
  void print_summary() const;
  void write_baseline();

  const CheckArguments& arguments_;
  ConfigFiles configs_;
  std::vector<Settings> settings_;
  std::vector<Selection> selections_;
  std::map<std::string, Baseline> baselines_;
  std::deque<Kept> kept_;
  Totals totals_;
  int code_ = kExitClean;
};

std::optional<std::string> Gate::prepare() {
  const auto models = expand_models(arguments_.models);
  if (!models) return models.reason();
  for (const std::string& model : *models) {
    Result<Settings, std::string> settings = configs_.settings_of(model, arguments_);
    if (!settings) return settings.reason();
    const CheckArguments& arguments = settings->arguments;
    const auto selection = Selection::read(arguments.select, arguments.ignore);
    if (!selection) return selection.reason();
    selections_.push_back(*selection);
    settings_.push_back(std::move(*settings));
  }
  if (settings_.size() == 1 && !arguments_.fix && arguments_.inputs.size() <= 1) {
    settings_.front().arguments.only_run = true;
  }
  return std::nullopt;
}

std::optional<std::string> Gate::prepare_baselines() {
  for (Settings& settings : settings_) {
    std::string& path = settings.arguments.baseline;
    const bool write = !arguments_.write_baseline.empty();
    if (write) path = arguments_.write_baseline;
    if (path.empty()) continue;
    settings.arguments.max_findings = kMaxFindingsWithBaseline;
    if (baselines_.contains(path)) continue;
    // What is there is kept of the models that this call leaves out; a file of another kind is not
    // overwritten.
    if (write && access(path.c_str(), F_OK) != 0) {
      baselines_.emplace(path, Baseline(path));
      continue;
    }
    Result<Baseline, std::string> baseline = Baseline::read(path);
    if (!baseline) return baseline.reason();
    baselines_.emplace(path, std::move(*baseline));
  }
  return std::nullopt;
}

ModelReport Gate::check(size_t index, Progress& progress) const {
  const Settings& settings = settings_[index];
  std::function<void(uint64_t)> told;
  if (settings_.size() == 1) told = [&](uint64_t nodes) { progress(nodes); };
  try {
    return check_model(settings.model, settings.arguments, told);
  } catch (const std::exception& error) {
    ModelReport report;
    Place place;
    place.file = settings.model;
    report.findings.add(make_finding(Code::kInternalError, std::move(place), error.what(),
                                     "please report this with the model"));
    return report;
  }
}

/// What is neither known nor left out by the selection.
Findings Gate::apply_baseline(const Settings& settings, const Findings& found,
                              const Findings& selected) {
  const auto place = baselines_.find(settings.arguments.baseline);
  if (place == baselines_.end()) return selected;
  Baseline& baseline = place->second;
  if (!arguments_.write_baseline.empty()) {
    const Severity least = settings.arguments.fail_on == "note" ? Severity::kNote  //
                                                                : Severity::kWarning;
    baseline.set(settings.model,
                 selected.filtered([&](const Finding& f) { return f.severity >= least; },
                                   [](Code) { return true; }));
  }
  // Entries of codes that are not selected are not stale: so the whole is compared.
  return baseline.unknown(settings.model, found);
}

void Gate::report(size_t index, ModelReport report) {
  const Settings& settings = settings_[index];
  if (report.complaint) {
    const std::string model =
        settings_.size() > 1 ? printable(settings.model) + ": " : std::string();
    code_ = std::max<int>(code_, usage(model + *report.complaint));
    ++totals_.unchecked;
    return;
  }
  // A document has no place for them.
  std::fputs(report.fixes.c_str(), is_document(arguments_.format) ? stderr : stdout);
  const Selection& selection = selections_[index];
  const Findings selected = selection.of(report.findings);
  const Findings left = selection.of(apply_baseline(settings, report.findings, selected));
  totals_.known += selected.all().size() - std::min(selected.all().size(), left.all().size());
  const int code = exit_code(left, settings.arguments.fail_on);
  totals_.add(left, code);
  code_ = std::max(code_, code);
  report.findings = left;
  if (is_document(arguments_.format)) {
    kept_.push_back({settings.model, std::move(report.findings), settings.arguments.fail_on,
                     std::move(report.runs)});
  } else {
    print(settings, report, code);
  }
}

void Gate::print(const Settings& settings, const ModelReport& report, int code) const {
  const CheckArguments& arguments = settings.arguments;
  print_findings(stdout, {.file = settings.model, .findings = report.findings}, arguments.format,
                 least_shown(arguments), code);
  for (const RunReport& run : report.runs) {
    std::fputs(run.verdicts.c_str(), stdout);
    std::fputs(run.bindings.c_str(), stdout);
    if (arguments.quiet || arguments.format != "text") continue;
    const bool wanted = arguments.verbose || isatty(STDOUT_FILENO) == 1 || code != kExitClean;
    if (!wanted) continue;
    if (settings_.size() > 1) fmt::print("{}: ", printable(settings.model));
    std::fputs(run.summary.c_str(), stdout);
  }
  std::fflush(stdout);
}

/// Notes on models that a baseline lists but that are not there.
void Gate::tell_gone() {
  for (auto& [path, baseline] : baselines_) {
    const std::vector<std::string> gone = baseline.gone();
    if (!arguments_.write_baseline.empty()) {
      for (const std::string& model : gone) baseline.forget(model);
      continue;
    }
    Findings notes;
    for (const std::string& model : gone) {
      Place place;
      place.file = path;
      notes.add(make_finding(
          Code::kBaselineStale, std::move(place),
          fmt::format("it lists findings of '{}', which does not exist", printable(model)),
          "remove them, or write the baseline anew with --write-baseline"));
    }
    // What holds for the first model with this baseline holds for the baseline.
    size_t first = 0;
    while (settings_[first].arguments.baseline != path) ++first;
    notes = selections_[first].of(notes);
    if (notes.empty()) continue;
    const CheckArguments& arguments = settings_[first].arguments;
    const int code = exit_code(notes, arguments.fail_on);
    code_ = std::max(code_, code);
    if (is_document(arguments_.format)) {
      kept_.push_back({path, std::move(notes), arguments.fail_on, {}});
    } else {
      print_findings(stdout, {.file = path, .findings = notes}, arguments_.format,
                     least_shown(arguments_), code);
    }
  }
}

void Gate::print_document() {
  std::vector<FileFindings> files;
  for (const Kept& kept : kept_) {
    const std::optional<Severity> level = fail_level(kept.fail_on);
    files.push_back({.file = kept.file,
                     .findings = kept.findings,
                     .fail_on = level.value_or(Severity::kError),
                     .may_fail = level.has_value()});
  }
  std::string text = document(files, arguments_.format, code_);
  if (arguments_.format == "json") {
    using Json = nlohmann::ordered_json;
    auto report = Json::parse(text);
    Json& runs = report["runs"] = Json::array();
    for (Kept& kept : kept_) {
      for (RunReport& run : kept.runs) {
        Json with_model = {{"model", kept.file}};
        with_model.update(run.json);
        runs.push_back(std::move(with_model));
      }
    }
    text = report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  std::fputs(text.c_str(), stdout);
}

void Gate::print_summary() const {
  if (settings_.size() < 2 || arguments_.quiet || arguments_.format != "text") return;
  const bool wanted = arguments_.verbose || isatty(STDOUT_FILENO) == 1 || code_ != kExitClean;
  if (!wanted) return;
  std::string text = fmt::format("{} models: {} passed", settings_.size(), totals_.clean);
  if (totals_.failed > 0) text += fmt::format(", {} failed", totals_.failed);
  if (totals_.unchecked > 0) text += fmt::format(", {} not checked", totals_.unchecked);
  text += fmt::format("; {}, {}", counted(totals_.errors, "error"),
                      counted(totals_.warnings, "warning"));
  if (totals_.known > 0) text += fmt::format("; {} known from the baseline", totals_.known);
  fmt::print("{}\n", text);
}

void Gate::write_baseline() {
  for (const auto& [path, baseline] : baselines_) {
    const Expected<void> written = baseline.write();
    if (!written) {
      code_ = std::max<int>(
          code_, usage(fmt::format("{}: {}", printable(path), written.reason().message)));
    } else if (!arguments_.quiet) {
      fmt::print(stderr, "{}: {} of {}\n", printable(path), counted(baseline.size(), "finding"),
                 counted(baseline.models().size(), "model"));
    }
  }
}

int Gate::run() {
  if (arguments_.models.empty()) return usage("name the models: onnx-shapes check MODEL...");
  if (const auto complaint = prepare()) return usage(*complaint);
  if (arguments_.show_config) {
    for (const Settings& settings : settings_) std::fputs(show(settings).c_str(), stdout);
    return kExitClean;
  }
  if (const auto complaint = prepare_baselines()) return usage(*complaint);
  size_t jobs = arguments_.jobs;
  if (jobs == 0) jobs = std::max<size_t>(1, std::thread::hardware_concurrency());
  Progress progress(!arguments_.quiet);
  in_order<ModelReport>(
      settings_.size(), jobs, [&](size_t i) { return check(i, progress); },
      [&](size_t i, ModelReport found) { report(i, std::move(found)); });
  tell_gone();
  if (!arguments_.write_baseline.empty()) write_baseline();
  if (is_document(arguments_.format)) print_document();
  print_summary();
  return code_;
}

}  // namespace

int run_check(const CheckArguments& arguments) { return Gate(arguments).run(); }

}  // namespace onnx_shapes
