// The author's dims as symbols and expressions.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "facts/symbols.h"
#include "infer/fact.h"
#include "model/model.h"

namespace onnx_shapes {

struct DeclareOptions {
  std::map<std::string, int64_t, std::less<>> numbers;      // --dim NAME=8
  std::map<std::string, std::string, std::less<>> renames;  // --rename OLD=NEW, both names
  bool opaque = false;           // --dim-params=opaque: every text is one name
  bool assume_nonempty = false;  // the author's symbols are at least 1
  /// A text on an input such as `2*h` declares h by itself: it promises an even size. (Else it is a
  /// name, as what is written into a model has to mean the same to readers that know only names.)
  bool inputs_declare_compounds = false;
};

/// Whether a dim of some annotation is declared by that name alone.
[[nodiscard]] bool declares(const Model& model, std::string_view name);

/// Reads the author's dim texts. A text is an expression only if it parses and every name in it is
/// declared by itself somewhere in the model; else it is one name.
class Declarations {
 public:
  /// Registers every name that occurs in the model: first those on the main graph's inputs, then
  /// the others in order of declaration, last those that an earlier tool made up.
  Declarations(const Model& model, SymbolTable& symbols, const DeclareOptions& options);

  /// The dim that an annotation's text or number stands for; unknown for an unnamed one.
  [[nodiscard]] Dim dim(const DeclaredDim& declared) const;
  /// The fact that an annotation claims.
  [[nodiscard]] Fact fact(const DeclaredType& type) const;
  /// Whether a declared text is a name that a tool has made up (see MadeUpNames). One that is on an
  /// input of the main graph is the caller's, whoever made it up.
  [[nodiscard]] bool is_made_up(std::string_view text) const { return made_up_.contains(text); }
  /// Whether it is one that an exporter made up: on an output, part of what the model was published
  /// with.
  [[nodiscard]] bool is_exported(std::string_view text) const { return exported_.contains(text); }
  /// What `text` stands for.
  [[nodiscard]] Dim text(std::string_view text) const;

 private:
  [[nodiscard]] Dim read(std::string_view text) const;
  [[nodiscard]] Dim read_promise(std::string_view text, Interval range, Origin origin);

  SymbolTable& symbols_;
  std::unordered_set<std::string_view> names_;  // texts that may be a name inside an expression
  std::unordered_set<std::string_view> made_up_;
  std::unordered_set<std::string_view> exported_;  // of those
  std::deque<std::string> promised_;               // names that compounds on inputs declare
  std::unordered_map<std::string_view, Dim> dims_;
};

}  // namespace onnx_shapes
