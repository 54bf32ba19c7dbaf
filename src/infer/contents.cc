// Contents of tensors: constants read on request, and symbols for integers that a run decides.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "infer/engine.h"

namespace onnx_shapes {
namespace {

/// The exact number as a fraction; unknown where 64 bits do not hold it (and for what is no
/// number).
Scalar exact_scalar(Pool& pool, double number) {
  if (!std::isfinite(number)) return {};
  int exponent = 0;
  // number = mantissa * 2^(exponent - 53), where the mantissa is an integer of at most 53 bits.
  auto mantissa = static_cast<int64_t>(std::ldexp(std::frexp(number, &exponent), 53));
  exponent -= 53;
  while (mantissa != 0 && mantissa % 2 == 0 && exponent < 0) {
    mantissa /= 2;
    ++exponent;
  }
  if (mantissa == 0) return {pool.constant(0), 1};
  if (exponent > 9 || exponent < -62) return {};
  if (exponent >= 0) return {pool.constant(mantissa * (int64_t{1} << exponent)), 1};
  return {pool.constant(mantissa), int64_t{1} << -exponent};
}

/// The numbers that an element of an integer tensor may be.
Interval range_of(ElemType elem) {
  if (!is_integer(elem) && elem != ElemType::kBool) return Interval::all();
  const uint32_t bits = element_bits(elem);
  switch (elem) {
    case ElemType::kBool:
      return {0, 1};
    case ElemType::kUint64:
      return Interval::at_least(0);
    case ElemType::kInt64:
      return Interval::all();
    case ElemType::kUint32:
    case ElemType::kUint16:
    case ElemType::kUint8:
    case ElemType::kUint4:
    case ElemType::kUint2:
      return {0, (int64_t{1} << bits) - 1};
    default:
      return {-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1};
  }
}

std::optional<size_t> static_count(const Fact& fact) {
  if (!fact.is_tensor() || !fact.shape) return std::nullopt;
  size_t count = 1;
  for (const Dim dim : *fact.shape) {
    const std::optional<int64_t> number = dim.number();
    if (!number || *number < 0) return std::nullopt;
    if (*number > static_cast<int64_t>(kMaxElements)) return std::nullopt;
    count *= static_cast<size_t>(*number);
    if (count > kMaxElements) return std::nullopt;
  }
  return count;
}

}  // namespace

std::shared_ptr<const Elements> Engine::tensor_elements(TensorId id) {
  if (id == kNoId) return nullptr;
  if (tensors_.size() <= id) tensors_.resize(id + 1);
  if (!tensors_[id]) tensors_[id] = read_elements(id);
  return *tensors_[id];
}

/// Most constants that shapes are computed with are an axis or an index: one of few numbers.
std::shared_ptr<const Elements> Engine::single_element(int64_t number) {
  std::shared_ptr<const Elements>& shared = singles_[number];
  if (!shared) shared = std::make_shared<const Elements>(1, Scalar{pool().constant(number), 1});
  return shared;
}

std::shared_ptr<const Elements> Engine::read_elements(TensorId id) {
  const Tensor& tensor = model_.tensor(id);
  const std::optional<int64_t> count = tensor.element_count();
  if (!count || *count > static_cast<int64_t>(kMaxElements)) return nullptr;
  Elements elements;
  if (is_integer(tensor.elem) || tensor.elem == ElemType::kBool) {
    const auto numbers = model_.int_elements(id, kMaxElements, findings_);
    if (!numbers) return nullptr;
    if (numbers->size() == 1) return single_element(numbers->front());
    elements.reserve(numbers->size());
    for (const int64_t number : *numbers) elements.push_back({pool().constant(number), 1});
  } else if (*count <= kMaxFloats) {
    const auto numbers = model_.float_elements(id, kMaxFloats, findings_);
    if (!numbers) return nullptr;
    elements.reserve(numbers->size());
    for (const double number : *numbers) elements.push_back(exact_scalar(pool(), number));
  } else {
    return nullptr;
  }
  return std::make_shared<const Elements>(std::move(elements));
}

Fact Engine::given_fact(const GivenInput& given) {
  const bool holds = given.kind == FactKind::kSequence || given.kind == FactKind::kOptional;
  if (!holds) return given_tensor(given);
  Fact element;
  for (size_t i = 0; i < given.elements.size(); ++i) {
    const Fact one = given_fact(given.elements[i]);
    element = i == 0 ? one : join(element, one);
  }
  const Dim length = pool().constant(static_cast<int64_t>(given.elements.size()));
  if (given.kind == FactKind::kOptional) return Fact::optional(std::move(element), length);
  return Fact::sequence(std::move(element), length);
}

Fact Engine::given_tensor(const GivenInput& given) {
  Shape shape;
  for (const int64_t dim : given.shape) shape.push_back(pool().constant(dim));
  Fact fact = Fact::tensor(given.elem, std::move(shape));
  fact.kind = given.kind;
  const std::optional<size_t> count = static_count(fact);
  Elements elements;
  if (given.integers) {
    for (const int64_t number : *given.integers) elements.push_back({pool().constant(number), 1});
  } else if (given.numbers) {
    for (const double number : *given.numbers) elements.push_back(exact_scalar(pool(), number));
  } else {
    return fact;
  }
  if (count == elements.size()) fact.elements = std::make_shared<const Elements>(elements);
  return fact;
}

const GivenInput* Engine::computed(ValueId value) const {
  if (repeated_ > 0) return nullptr;
  if (calls_.size() == 1 && iteration_ && model_.value(value).scope == iteration_->first) {
    const auto found = options_.iterations.find(value);
    const bool known =
        found != options_.iterations.end() && iteration_->second < found->second.size();
    return known ? &found->second[iteration_->second] : nullptr;
  }
  if (!calls_.empty()) return nullptr;
  const auto found = options_.computed.find(value);
  return found == options_.computed.end() ? nullptr : &found->second;
}

/// A size that has a name is that number wherever the name is.
void Engine::adopt_computed(const GivenInput& computed, NodeId node, Fact& fact) {
  Fact known = given_fact(computed);
  if (fact.kind == FactKind::kOptional && known.kind != FactKind::kOptional) {
    known = Fact::optional(std::move(known), pool().constant(1));
  }
  const auto equate = [&](Dim named, Dim number) {
    if (!named.known() || named.number() || !number.known()) return;
    (void)constraints().add_equal(named, number,
                                  {.kind = Origin::Kind::kNode, .node = node, .label = "run"});
  };
  if (fact.shape && known.shape && fact.shape->size() == known.shape->size()) {
    for (size_t i = 0; i < known.shape->size(); ++i) equate((*fact.shape)[i], (*known.shape)[i]);
    if (!known.elements) known.elements = fact.elements;
  }
  equate(fact.length, known.length);
  if (known.elem == ElemType::kUndefined) known.elem = fact.elem;
  fact = std::move(known);
}

void Engine::load_contents(Slot& slot) {
  if (slot.constant == kNoId) return;
  const TensorId tensor = slot.constant;
  slot.constant = kNoId;
  slot.fact.elements = tensor_elements(tensor);
}

const std::shared_ptr<const Elements>& Engine::contents(ValueId value) {
  static const std::shared_ptr<const Elements> unknown;
  if (value == kNoId) return unknown;
  Slot& slot = slots_[value];
  load_contents(slot);
  const Fact& known = fact(value);
  const std::optional<size_t> count = static_count(known);
  if (!count) return unknown;
  const std::shared_ptr<const Elements>& elements = known.elements;
  const bool complete =
      elements != nullptr &&
      std::all_of(elements->begin(), elements->end(), [](const Scalar& e) { return e.known(); });
  const bool integral = is_integer(known.elem) || known.elem == ElemType::kBool;
  if (complete || !integral || *count > InferContext::kMaxValueSymbols) return elements;
  auto named = std::make_shared<Elements>(elements != nullptr ? *elements : Elements(*count));
  const std::string_view name = model_.value(value).name;
  for (size_t i = 0; i < *count; ++i) {
    Scalar& element = (*named)[i];
    if (element.known()) continue;
    Dim& symbol = value_symbols_[{slot.call, value, i}];
    if (!symbol.known()) {
      symbol = symbols().fresh(
          *count == 1 ? fmt::format("{}_value", name) : fmt::format("{}_value{}", name, i),
          range_of(known.elem),
          {.kind = Origin::Kind::kContents, .value = value, .axis = static_cast<int32_t>(i)});
      note_new_symbols();
    }
    element = {symbol, 1};
  }
  // The shape of the fact as it was set may still hold solved symbols; its contents fit it all the
  // same.
  slot.fact.elements = std::move(named);
  slot.generation = Slot::kStale;
  return fact(value).elements;
}

}  // namespace onnx_shapes
