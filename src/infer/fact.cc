// Facts of values: construction, join, and questions about shapes.
#include "infer/fact.h"

#include <algorithm>

#include "support/int_math.h"

namespace onnx_shapes {

bool any_known(const Elements& elements) {
  return elements.empty() || std::any_of(elements.begin(), elements.end(),
                                         [](const Scalar& element) { return element.known(); });
}

Fact Fact::tensor(ElemType elem, std::optional<Shape> shape) {
  Fact fact;
  fact.make_tensor(elem, std::move(shape));
  return fact;
}

void Fact::make_tensor(ElemType type, std::optional<Shape>&& dims) {
  kind = FactKind::kTensor;
  elem = type;
  shape = std::move(dims);
  elements.reset();
  element.reset();
  length = Dim();
}

Fact Fact::sequence(Fact element, Dim length) {
  Fact fact;
  fact.kind = FactKind::kSequence;
  fact.element = std::make_shared<const Fact>(std::move(element));
  fact.length = length;
  return fact;
}

Fact Fact::optional(Fact element, Dim length) {
  Fact fact;
  fact.kind = FactKind::kOptional;
  fact.element = std::make_shared<const Fact>(std::move(element));
  fact.length = length;
  return fact;
}

namespace {

template <class T>
bool same(const std::shared_ptr<const T>& a, const std::shared_ptr<const T>& b) {
  return a == b || (a && b && *a == *b);
}

std::optional<Shape> join_shapes(const std::optional<Shape>& a, const std::optional<Shape>& b) {
  if (!a || !b || a->size() != b->size()) return std::nullopt;
  Shape joined = *a;
  for (size_t i = 0; i < joined.size(); ++i) {
    if (joined[i] != (*b)[i]) joined[i] = Dim();
  }
  return joined;
}

std::shared_ptr<const Elements> join_elements(const std::shared_ptr<const Elements>& a,
                                              const std::shared_ptr<const Elements>& b) {
  if (!a || !b || a->size() != b->size()) return nullptr;
  if (a == b) return a;
  auto joined = std::make_shared<Elements>(*a);
  for (size_t i = 0; i < joined->size(); ++i) {
    if ((*joined)[i] != (*b)[i]) (*joined)[i] = Scalar();
  }
  return joined;
}

std::shared_ptr<const Fact> join_nested(const std::shared_ptr<const Fact>& a,
                                        const std::shared_ptr<const Fact>& b) {
  if (!a || !b) return nullptr;
  return a == b ? a : std::make_shared<const Fact>(join(*a, *b));
}

}  // namespace

bool Fact::operator==(const Fact& other) const {
  return kind == other.kind && elem == other.elem && shape == other.shape &&
         length == other.length && same(elements, other.elements) && same(element, other.element);
}

Fact join(const Fact& a, const Fact& b) {
  if (a.kind != b.kind) return Fact::unknown();
  Fact joined;
  joined.kind = a.kind;
  joined.elem = a.elem == b.elem ? a.elem : ElemType::kUndefined;
  joined.shape = join_shapes(a.shape, b.shape);
  // Contents mean nothing without the shape that orders them.
  if (joined.shape && a.shape == b.shape) joined.elements = join_elements(a.elements, b.elements);
  // An empty sequence or optional says nothing of the elements of the other.
  joined.element = a.length.is(0)   ? b.element
                   : b.length.is(0) ? a.element
                                    : join_nested(a.element, b.element);
  joined.length = a.length == b.length ? a.length : Dim();
  return joined;
}

Dim element_count(Pool& pool, std::span<const Dim> shape) {
  std::optional<int64_t> number = 1;
  for (size_t i = 0; i < shape.size() && number; ++i) {
    const std::optional<int64_t> factor = shape[i].number();
    number = factor ? checked_mul(*number, *factor) : std::nullopt;
  }
  if (number) return pool.constant(*number);
  Dim product = pool.constant(1);
  for (const Dim dim : shape) product = product * dim;
  return product;
}

std::optional<std::vector<int64_t>> static_shape(std::span<const Dim> shape) {
  std::vector<int64_t> numbers;
  numbers.reserve(shape.size());
  for (const Dim dim : shape) {
    const std::optional<int64_t> number = dim.number();
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace onnx_shapes
