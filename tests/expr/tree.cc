// Plain trees: evaluation by definition, text, and shrinking.
#include "tests/expr/tree.h"

#include <algorithm>
#include <utility>

namespace onnx_shapes {
namespace {

using Value = std::optional<int64_t>;

Value add(int64_t a, int64_t b) {
  int64_t r = 0;
  return __builtin_add_overflow(a, b, &r) ? Value() : r;
}

Value subtract(int64_t a, int64_t b) {
  int64_t r = 0;
  return __builtin_sub_overflow(a, b, &r) ? Value() : r;
}

Value multiply(int64_t a, int64_t b) {
  int64_t r = 0;
  return __builtin_mul_overflow(a, b, &r) ? Value() : r;
}

/// The q with q*b <= a < q*b + b.
Value floor_quotient(int64_t a, int64_t b) {
  if (b < 1) return {};
  int64_t q = a / b;
  if (q * b > a) --q;
  return q;
}

/// The least q with q*b >= a.
Value ceiling_quotient(int64_t a, int64_t b) {
  if (b < 1) return {};
  int64_t q = a / b;
  if (q * b < a) ++q;
  return q;
}

Value remainder(int64_t a, int64_t b) {
  if (b < 1) return {};
  const int64_t r = a % b;
  return r < 0 ? r + b : r;
}

Value broadcast_value(int64_t a, int64_t b) {
  if (a == b || b == 1) return a;
  return a == 1 ? Value(b) : Value();
}

Value apply(Operation operation, int64_t a, int64_t b) {
  switch (operation) {
    case Operation::kAdd:
      return add(a, b);
    case Operation::kSubtract:
      return subtract(a, b);
    case Operation::kMultiply:
      return multiply(a, b);
    case Operation::kFloorDiv:
      return floor_quotient(a, b);
    case Operation::kCeilDiv:
      return ceiling_quotient(a, b);
    case Operation::kMod:
      return remainder(a, b);
    case Operation::kMax:
      return a < b ? b : a;
    case Operation::kMin:
      return a < b ? a : b;
    case Operation::kBroadcast:
      return broadcast_value(a, b);
    case Operation::kNumber:
    case Operation::kSymbol:
    case Operation::kNegate:
      break;
  }
  return {};
}

Dim apply(Operation operation, Dim a, Dim b) {
  switch (operation) {
    case Operation::kAdd:
      return a + b;
    case Operation::kSubtract:
      return a - b;
    case Operation::kMultiply:
      return a * b;
    case Operation::kFloorDiv:
      return floor_div(a, b);
    case Operation::kCeilDiv:
      return ceil_div(a, b);
    case Operation::kMod:
      return mod(a, b);
    case Operation::kMax:
      return max(a, b);
    case Operation::kMin:
      return min(a, b);
    case Operation::kBroadcast:
      return broadcast(a, b);
    case Operation::kNumber:
    case Operation::kSymbol:
    case Operation::kNegate:
      break;
  }
  return Dim();
}

const char* spelling(Operation operation) {
  switch (operation) {
    case Operation::kAdd:
      return " + ";
    case Operation::kSubtract:
      return " - ";
    case Operation::kMultiply:
      return "*";
    case Operation::kFloorDiv:
      return "//";
    case Operation::kMod:
      return "%";
    case Operation::kCeilDiv:
      return "ceil_div";
    case Operation::kMax:
      return "max";
    case Operation::kMin:
      return "min";
    case Operation::kBroadcast:
      return "broadcast";
    case Operation::kNumber:
    case Operation::kSymbol:
    case Operation::kNegate:
      break;
  }
  return "";
}

bool is_call(Operation operation) {
  return operation == Operation::kCeilDiv || operation == Operation::kMax ||
         operation == Operation::kMin || operation == Operation::kBroadcast;
}

/// What a tree may become in one step: each of its operands, or a number nearer to 0.
std::vector<Tree> simpler(const Tree& tree) {
  std::vector<Tree> result = tree.operands;
  if (tree.operation == Operation::kNumber) {
    for (const int64_t next :
         {int64_t{0}, tree.number / 2, tree.number - (tree.number > 0 ? 1 : -1)}) {
      const bool is_nearer =
          (next < 0 ? -next : next) < (tree.number < 0 ? -tree.number : tree.number);
      if (is_nearer) result.push_back(number_tree(next));
    }
  } else {
    result.push_back(number_tree(0));
    result.push_back(number_tree(1));
  }
  return result;
}

/// Tries every single step anywhere in `part`, which belongs to `whole`; keeps the first that
/// still fails.
bool shrink_once(Tree& whole, Tree& part, const std::function<bool(const Tree&)>& fails) {
  for (Tree& candidate : simpler(part)) {
    std::swap(part, candidate);
    if (fails(whole)) return true;
    std::swap(part, candidate);
  }
  return std::any_of(part.operands.begin(), part.operands.end(),
                     [&](Tree& operand) { return shrink_once(whole, operand, fails); });
}

}  // namespace

Tree number_tree(int64_t value) { return {Operation::kNumber, value, {}}; }

Tree symbol_tree(size_t index) { return {Operation::kSymbol, static_cast<int64_t>(index), {}}; }

Tree make_tree(Operation operation, std::vector<Tree> operands) {
  return {operation, 0, std::move(operands)};
}

std::optional<int64_t> value_of(const Tree& tree, const Values& values) {
  if (tree.operation == Operation::kNumber) return tree.number;
  if (tree.operation == Operation::kSymbol) return values[static_cast<size_t>(tree.number)];
  const Value a = value_of(tree.operands[0], values);
  if (!a) return a;
  if (tree.operation == Operation::kNegate) return subtract(0, *a);
  const Value b = value_of(tree.operands[1], values);
  return b ? apply(tree.operation, *a, *b) : b;
}

Dim build(Pool& pool, const Tree& tree, std::span<const Dim> symbols) {
  if (tree.operation == Operation::kNumber) return pool.constant(tree.number);
  if (tree.operation == Operation::kSymbol) return symbols[static_cast<size_t>(tree.number)];
  const Dim a = build(pool, tree.operands[0], symbols);
  if (tree.operation == Operation::kNegate) return -a;
  return apply(tree.operation, a, build(pool, tree.operands[1], symbols));
}

std::string to_text(const Tree& tree) {
  if (tree.operation == Operation::kNumber) return std::to_string(tree.number);
  if (tree.operation == Operation::kSymbol) {
    return std::string(1, static_cast<char>('a' + tree.number));
  }
  const std::string a = to_text(tree.operands[0]);
  if (tree.operation == Operation::kNegate) return "(-" + a + ")";
  const std::string b = to_text(tree.operands[1]);
  const std::string name = spelling(tree.operation);
  return is_call(tree.operation) ? name + "(" + a + ", " + b + ")" : "(" + a + name + b + ")";
}

size_t size_of(const Tree& tree) {
  size_t size = 1;
  for (const Tree& operand : tree.operands) size += size_of(operand);
  return size;
}

Tree shrink(Tree tree, const std::function<bool(const Tree&)>& fails) {
  while (shrink_once(tree, tree, fails)) {
  }
  return tree;
}

}  // namespace onnx_shapes
