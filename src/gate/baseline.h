// Known findings, which do not fail again.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "diag/finding_key.h"
#include "support/result.h"

namespace onnx_shapes {

/// Raised when a member changes its meaning.
constexpr int kBaselineVersion = 1;

/// The findings of models, by what does not change when nodes are moved (FindingKey). As JSON:
///
///     {"version": 1,
///      "findings": [
///        {"model": "models/a.onnx", "code": "SHP203", "value": "y", "axis": 0, "count": 2,
///         "message": "for people only"}]}
///
/// Paths are relative to the baseline's folder. `value` and `axis` are left out where the finding
/// has none, `count` where it is 1.
class Baseline {
 public:
  struct Known {
    size_t count = 0;
    std::string message;  // of the first
  };
  using Findings = std::map<FindingKey, Known>;

  explicit Baseline(std::string path) : path_(std::move(path)) {}

  /// Reads the text of the file at `path`. The failure is a complaint in one line.
  static Result<Baseline, std::string> parse(std::string_view text, const std::string& path);
  static Result<Baseline, std::string> read(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// By the model's path relative to the baseline's folder.
  [[nodiscard]] const std::map<std::string, Findings>& models() const { return models_; }
  [[nodiscard]] size_t size() const;

  /// The findings of a model that are not known, and a note (SHP801) for each entry that is not
  /// used up. What kept the model from being checked is never known, and nothing is stale then.
  [[nodiscard]] onnx_shapes::Findings unknown(const std::string& model,
                                              const onnx_shapes::Findings& findings) const;
  /// Makes what was found the known findings of a model, if it was checked to its end.
  void set(const std::string& model, const onnx_shapes::Findings& findings);
  /// The models that have entries but no file any more.
  [[nodiscard]] std::vector<std::string> gone() const;
  void forget(const std::string& relative) { models_.erase(relative); }

  /// The same bytes for the same findings, in whatever order they were found.
  [[nodiscard]] std::string to_json() const;
  /// Writes the file, whole or not at all.
  [[nodiscard]] Expected<void> write() const;

 private:
  [[nodiscard]] std::string relative(const std::string& model) const;

  std::string path_;
  std::map<std::string, Findings> models_;
};

/// SHP801 for an entry of a baseline.
[[nodiscard]] Finding stale_entry(const std::string& baseline, const std::string& model,
                                  const FindingKey& key, size_t left);

}  // namespace onnx_shapes
