// One diagnostic as a value: what, where, and what to do. Printing is elsewhere.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace onnx_shapes {

enum class Severity : uint8_t { kNote, kWarning, kError };

/// The stable code of a finding; the rows are in diag/codes.def.
enum class Code : uint16_t {
#define ONNX_SHAPES_CODE(number, name, severity, summary) \
  k##name = number,  // NOLINT(bugprone-macro-parentheses)
#include "diag/codes.def"
#undef ONNX_SHAPES_CODE
};

/// What codes.def says of one code.
struct CodeInfo {
  Code code;
  uint16_t number = 0;          // 203
  std::string_view camel_name;  // DimContradiction
  Severity severity = Severity::kError;
  std::string_view summary;  // one line, no full stop
};
[[nodiscard]] const CodeInfo& info(Code code);
[[nodiscard]] const std::vector<CodeInfo>& all_codes();
/// Whether a finding of that code says that the file was not checked, or not to its end: it could
/// not be read, a limit was hit, or this tool failed.
[[nodiscard]] bool is_unchecked(Code code);
/// "SHP203"
[[nodiscard]] std::string code_id(Code code);
/// "dim-contradiction"
[[nodiscard]] std::string code_name(Code code);

/// Where a finding is. Prints the same in every format:
/// `model.onnx:graph/If_0.then_branch/Add_1:output y[axis 1]`.
struct Place {
  std::string file;
  std::string graph;  // path of the scope: `graph`, `graph/If_0.then_branch`, `function ai.x:F`
  std::string node;   // node name, or `<OpType>_<index>` where it has none; may be empty
  std::string value;  // value name; may be empty
  std::string role;   // "input", "output", "value_info", "initializer", "attribute"; may be empty
  std::optional<int64_t> axis;
  std::string node_text;           // the node printed as ONNX text, for the reader's eyes
  std::optional<uint64_t> offset;  // byte offset in the file, for findings about the bytes
};
[[nodiscard]] std::string to_string(const Place& place);

/// A further place that has to do with the finding: "declared here", "bound here".
struct Note {
  std::string message;
  std::optional<Place> place;
};

struct Finding {
  Code code;
  Severity severity;
  Place place;
  std::string message;  // what is wrong, with both numbers and who declared each
  std::string help;     // what to do; may be empty
  std::vector<Note> notes;
};

/// A finding with the severity of its code's row.
[[nodiscard]] Finding make_finding(Code code, Place place, std::string message,
                                   std::string help = {});

template <class T>
using Expected = Result<T, Finding>;

/// Collects findings in order of discovery. Equal ones (code, place, message) are kept once; past
/// the cap of each code further ones are only counted.
class Findings {
 public:
  explicit Findings(size_t cap_per_code = 1000) : cap_per_code_(cap_per_code) {}

  void add(Finding finding);
  [[nodiscard]] const std::vector<Finding>& all() const { return all_; }
  [[nodiscard]] bool empty() const { return all_.empty(); }
  [[nodiscard]] size_t count(Severity at_least) const;
  /// How many were dropped because of the cap.
  [[nodiscard]] size_t suppressed() const { return dropped_.size(); }
  /// Grows with each finding that is kept or dropped because of the cap.
  [[nodiscard]] size_t mark() const { return all_.size() + dropped_.size(); }
  /// Forgets what was added after mark() returned `mark`.
  void roll_back(size_t mark);
  /// Those that the predicate holds for, and of the dropped ones those whose code `keeps_code`
  /// holds for, in the same order.
  [[nodiscard]] Findings filtered(const std::function<bool(const Finding&)>& keeps,
                                  const std::function<bool(Code)>& keeps_code) const;

 private:
  /// The slot of an equal finding, or the free one where it belongs.
  [[nodiscard]] size_t find(const Finding& finding) const;
  void grow();

  size_t cap_per_code_;
  std::vector<Finding> all_;
  std::vector<size_t> marks_;     // mark() before each of all_ was added
  std::vector<size_t> slots_;     // hash table over all_: index + 1, or 0 for a free slot
  std::vector<size_t> per_code_;  // by row of all_codes()
  std::vector<Code> dropped_;     // because of the cap, in order
};

}  // namespace onnx_shapes
