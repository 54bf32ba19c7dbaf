// Facts and questions as text, for table tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "expr/text.h"
#include "facts/constraints.h"
#include "facts/prover.h"

namespace onnx_shapes::testing {

/// A pool whose symbols are made when a text names them: upper-case names are inputs, names that
/// start with `out` are declared, those that start with `nameless` are dims of inputs without a
/// name, other lower-case names are internal. All are at least 0, but those that start with `x`,
/// which may be any integer.
class World {
 public:
  World() : symbols(pool), constraints(symbols), prover(pool, &constraints) {}

  Dim dim(std::string_view text);

  /// Adds facts `a == b`, `a <= b`, `a < b` and `a >= b`, separated by `;`. The origin of the nth
  /// (from 0) is the node n. The first contradiction ends it and is returned. A leading `anchor `
  /// makes a fact hold under an anchor only.
  std::optional<Contradiction> add(std::string_view facts);

  /// Answers `a == b`, `a <= b`, `a < b`, `a >= b`, `a % n == 0` asked as `n | a`.
  Truth ask(std::string_view question);

  Pool pool;
  SymbolTable symbols;
  ConstraintSet constraints;
  Prover prover;
  uint32_t next_node = 0;
};

struct Relation {
  std::string lhs, op, rhs;
};
Relation relation(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);
std::string trimmed(std::string_view text);

}  // namespace onnx_shapes::testing
