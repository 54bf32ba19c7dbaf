// What inference knows of a value.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "expr/expr.h"
#include "model/model.h"

namespace onnx_shapes {

/// The dims of a tensor of known rank; a scalar has none. An unknown Dim is an axis of which
/// nothing is known (the engine gives it a symbol when the rule has finished).
using Shape = std::vector<Dim>;

/// One element of a tensor: the exact number numerator / denominator. Integers and bools (0 or 1)
/// have denominator 1. An unknown numerator is an unknown element.
struct Scalar {
  Dim numerator;
  int64_t denominator = 1;  // >= 1

  [[nodiscard]] bool known() const { return numerator.known(); }
  /// The dim, if the number is an integer for sure.
  [[nodiscard]] Dim integer() const { return denominator == 1 ? numerator : Dim(); }
  bool operator==(const Scalar&) const = default;
};

/// The elements of a tensor in row-major order.
using Elements = std::vector<Scalar>;
constexpr size_t kMaxElements = 4096;
/// Whether anything is known of them: that there are none, too.
[[nodiscard]] bool any_known(const Elements& elements);

enum class FactKind : uint8_t { kUnknown, kTensor, kSparseTensor, kSequence, kOptional, kMap };

struct Fact {
  FactKind kind = FactKind::kUnknown;
  ElemType elem = ElemType::kUndefined;      // tensors; the key type of a map
  std::optional<Shape> shape;                // tensors; nothing: unknown rank
  std::shared_ptr<const Elements> elements;  // tensors; null: nothing known of the contents
  std::shared_ptr<const Fact> element;  // of a sequence (the join of all), optional; value of a map
  Dim length;                           // of a sequence; of an optional, 1 if it holds something

  static Fact unknown() { return {}; }
  static Fact tensor(ElemType elem, std::optional<Shape> shape = std::nullopt);
  /// Turns this fact into that of such a tensor.
  void make_tensor(ElemType type, std::optional<Shape>&& dims);
  static Fact sequence(Fact element, Dim length = Dim());
  static Fact optional(Fact element, Dim length = Dim());

  [[nodiscard]] bool is_tensor() const { return kind == FactKind::kTensor; }
  bool operator==(const Fact& other) const;  // by value; elements and element facts too
};

/// What holds whichever of the two facts holds (for branches and iterations): equal dims and
/// elements stay, others become unknown, different ranks become an unknown rank.
[[nodiscard]] Fact join(const Fact& a, const Fact& b);

/// Product of the dims; unknown if one is unknown. 1 for a scalar.
[[nodiscard]] Dim element_count(Pool& pool, std::span<const Dim> shape);
/// The numbers, if every dim is one.
[[nodiscard]] std::optional<std::vector<int64_t>> static_shape(std::span<const Dim> shape);

}  // namespace onnx_shapes
