// Expressions as plain trees, with an evaluator of their own that shares nothing with the engine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "expr/expr.h"

namespace onnx_shapes {

enum class Operation : uint8_t {
  kNumber,
  kSymbol,
  kNegate,
  kAdd,
  kSubtract,
  kMultiply,
  kFloorDiv,
  kCeilDiv,
  kMod,
  kMax,
  kMin,
  kBroadcast,
};

/// `number` is the value of a kNumber and the index of a kSymbol.
struct Tree {
  Operation operation = Operation::kNumber;
  int64_t number = 0;
  std::vector<Tree> operands;
};

[[nodiscard]] Tree number_tree(int64_t value);
[[nodiscard]] Tree symbol_tree(size_t index);
[[nodiscard]] Tree make_tree(Operation operation, std::vector<Tree> operands);

/// The values of the symbols, by index.
using Values = std::vector<int64_t>;

/// The value by the definition of each operation on the integers. Nothing where a contract of
/// expr.h does not hold (a divisor below 1, a broadcast of two different numbers that are not 1, an
/// operand of max or min beyond 64 bits) and where the value or a part of it is beyond 64 bits.
[[nodiscard]] std::optional<int64_t> value_of(const Tree& tree, const Values& values);

/// The dim that the engine's operations make of the tree.
[[nodiscard]] Dim build(Pool& pool, const Tree& tree, std::span<const Dim> symbols);

/// With parentheses around every operation; symbols are called a, b, c, ...
[[nodiscard]] std::string to_text(const Tree& tree);

[[nodiscard]] size_t size_of(const Tree& tree);

/// A smallest tree for which `fails` still holds: no part of it can be replaced by one of its
/// operands or by a smaller number. Precondition: it holds for `tree`.
[[nodiscard]] Tree shrink(Tree tree, const std::function<bool(const Tree&)>& fails);

}  // namespace onnx_shapes
