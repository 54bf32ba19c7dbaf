// What a rule sees of its node, and what it sets.
#include "infer/context.h"

#include <fmt/format.h>

#include <algorithm>

#include "expr/text.h"
#include "infer/engine.h"

namespace onnx_shapes {
namespace {

Origin origin_of(NodeId node, std::string_view label) {
  return {.kind = Origin::Kind::kNode, .node = node, .label = label};
}

}  // namespace

void InferContext::start(NodeId node) {
  node_id_ = node;
  node_ = &engine_.model().node(node);
  operator_ = &engine_.operator_of(*node_);
  outputs_.resize(node_->outputs.size());
  for (Fact& output : outputs_) output = Fact();
  read_as_.clear();
  asked_.clear();
  awaited_.clear();
  failed_ = false;
}

int64_t InferContext::opset() const { return operator_->opset; }

bool InferContext::has_input(size_t i) const {
  return i < node_->inputs.size() && node_->inputs[i] != kNoId &&
         !engine_.is_missing(node_->inputs[i]);
}

bool InferContext::has_output(size_t i) const {
  return i < node_->outputs.size() && node_->outputs[i] != kNoId;
}

void InferContext::read_as(size_t i, Fact fact) { read_as_.emplace_back(i, std::move(fact)); }

const Fact& InferContext::input(size_t i) const {
  for (const auto& [input, fact] : read_as_) {
    if (input == i) return fact;
  }
  return engine_.fact(i < node_->inputs.size() ? node_->inputs[i] : kNoId);
}

Fact InferContext::input_with_contents(size_t i) {
  (void)engine_.contents(i < node_->inputs.size() ? node_->inputs[i] : kNoId);
  return input(i);
}

const std::shared_ptr<const Elements>& InferContext::input_contents(size_t i) {
  (void)engine_.contents(i < node_->inputs.size() ? node_->inputs[i] : kNoId);
  return input(i).elements;
}

const Shape* InferContext::shape(size_t i) const {
  const Fact& fact = input(i);
  return fact.shape ? &*fact.shape : nullptr;
}

std::optional<size_t> InferContext::rank(size_t i) const {
  const Shape* known = shape(i);
  return known != nullptr ? std::optional(known->size()) : std::nullopt;
}

ElemType InferContext::elem(size_t i) const { return input(i).elem; }

const std::shared_ptr<const Elements>& InferContext::shared_elements(size_t i) {
  if (asked_.empty() || asked_.back() != i) asked_.push_back(i);
  for (const auto& [input, fact] : read_as_) {
    if (input == i) return fact.elements;
  }
  return engine_.contents(i < node_->inputs.size() ? node_->inputs[i] : kNoId);
}

std::optional<Shape> InferContext::integers(size_t i) {
  const Elements* contents = elements(i);
  if (contents == nullptr) return std::nullopt;
  Shape numbers;
  numbers.reserve(contents->size());
  for (const Scalar& element : *contents) numbers.push_back(element.integer());
  return numbers;
}

std::optional<std::vector<int64_t>> InferContext::constant_integers(size_t i) {
  const Elements* contents = elements(i);
  if (contents == nullptr) return std::nullopt;
  std::vector<int64_t> numbers;
  numbers.reserve(contents->size());
  for (const Scalar& element : *contents) {
    const std::optional<int64_t> number = element.integer().number();
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

Dim InferContext::scalar_integer(size_t i) {
  const Elements* contents = elements(i);
  return contents != nullptr && contents->size() == 1 ? contents->front().integer() : Dim();
}

std::optional<std::vector<double>> InferContext::constant_numbers(size_t i) {
  const Elements* contents = elements(i);
  if (contents == nullptr) return std::nullopt;
  std::vector<double> numbers;
  for (const Scalar& element : *contents) {
    const std::optional<int64_t> numerator = element.numerator.number();
    if (!numerator) return std::nullopt;
    numbers.push_back(static_cast<double>(*numerator) / static_cast<double>(element.denominator));
  }
  return numbers;
}

std::optional<std::vector<std::string>> InferContext::constant_strings(size_t i) {
  if (!has_input(i)) return std::nullopt;
  const ValueId id = node_->inputs[i];
  const Value& value = engine_.model().value(id);
  const auto& inputs = engine_.options().inputs;
  if (const auto given = inputs ? inputs->find(id) : decltype(inputs->end()){};
      inputs && given != inputs->end()) {
    return given->second.strings;
  }
  // An initializer that a caller may replace is no constant, unless a run leaves it in place.
  const bool default_only = value.scope_input && value.input_annotation != kNoId && !inputs &&
                            engine_.model().ir_version() >= 4;
  TensorId tensor = default_only ? kNoId : value.initializer;
  if (tensor == kNoId && value.producer != kNoId) {
    const Node& producer = engine_.model().node(value.producer);
    if (producer.op_type != "Constant" || !producer.domain.empty()) return std::nullopt;
    if (const Attribute* one = engine_.attribute(producer, "value_string")) {
      return std::vector{std::string(one->string_value)};
    }
    if (const Attribute* all = engine_.attribute(producer, "value_strings")) {
      return std::vector<std::string>(all->strings.begin(), all->strings.end());
    }
    if (const Attribute* whole = engine_.attribute(producer, "value")) tensor = whole->tensor;
  }
  if (tensor == kNoId) return std::nullopt;
  return engine_.model().string_elements(tensor, kMaxElements, engine_.findings());
}

const Attribute* InferContext::attribute(std::string_view name) const {
  return engine_.attribute(*node_, name);
}

int64_t InferContext::attr_int(std::string_view name, int64_t otherwise) const {
  return attr_int(name).value_or(otherwise);
}

std::optional<int64_t> InferContext::attr_int(std::string_view name) const {
  const Attribute* found = attribute(name);
  if (found == nullptr || found->kind != AttributeKind::kInt) return std::nullopt;
  return found->int_value;
}

std::optional<std::span<const int64_t>> InferContext::attr_ints(std::string_view name) const {
  const Attribute* found = attribute(name);
  if (found == nullptr || found->kind != AttributeKind::kInts) return std::nullopt;
  return found->ints;
}

std::optional<float> InferContext::attr_float(std::string_view name) const {
  const Attribute* found = attribute(name);
  if (found == nullptr || found->kind != AttributeKind::kFloat) return std::nullopt;
  return found->float_value;
}

std::optional<std::span<const float>> InferContext::attr_floats(std::string_view name) const {
  const Attribute* found = attribute(name);
  if (found == nullptr || found->kind != AttributeKind::kFloats) return std::nullopt;
  return found->floats;
}

std::string_view InferContext::attr_string(std::string_view name,
                                           std::string_view otherwise) const {
  const Attribute* found = attribute(name);
  if (found == nullptr || found->kind != AttributeKind::kString) return otherwise;
  return found->string_value;
}

ScopeId InferContext::attr_graph(std::string_view name) const {
  const Attribute* found = attribute(name);
  return found != nullptr && !found->graphs.empty() ? found->graphs.front() : kNoId;
}

std::shared_ptr<const Elements> InferContext::tensor_elements(TensorId id) const {
  return engine_.tensor_elements(id);
}

const Tensor& InferContext::tensor(TensorId id) const { return engine_.model().tensor(id); }
const Scope& InferContext::scope(ScopeId id) const { return engine_.model().scope(id); }

std::optional<bool> InferContext::wanted_branch() const { return engine_.wanted_branch(node_id_); }

std::optional<size_t> InferContext::declared_rank(ValueId formal) const {
  if (formal == kNoId) return std::nullopt;
  const Model& model = engine_.model();
  const uint32_t annotation = model.value(formal).input_annotation;
  if (annotation == kNoId) return std::nullopt;
  const DeclaredType& type = model.annotations()[annotation].type;
  return type.has_shape ? std::optional(type.dims.size()) : std::nullopt;
}

Pool& InferContext::pool() const { return engine_.pool(); }
Prover& InferContext::prover() const { return engine_.prover(); }
Dim InferContext::lit(int64_t number) const { return pool().constant(number); }

Shape InferContext::lits(std::span<const int64_t> numbers) const {
  Shape dims;
  dims.reserve(numbers.size());
  for (const int64_t number : numbers) dims.push_back(lit(number));
  return dims;
}

Dim InferContext::fresh(std::string_view role, size_t output, Interval range) {
  return engine_.fresh(node_id_, output, role, range);
}

Dim InferContext::fresh_per_iteration(std::string_view role, Interval range) {
  return engine_.fresh(node_id_, 0, role, range, 1);
}

void InferContext::at_most(Dim a, Dim b, std::string_view label) {
  if (a.known() && b.known()) engine_.constraints().add_at_most(a, b, origin_of(node_id_, label));
}

void InferContext::awaits(ValueId value) {
  if (value != kNoId) awaited_.push_back(value);
}

/// The dim that tells the reader more: a number, then fewer made-up names, then what reads first.
Dim InferContext::more_telling(Dim a, Dim b) const {
  if (a.number()) return a;
  if (b.number()) return b;
  const auto made_up = [&](Dim dim) {
    size_t count = 0;
    for_each_symbol(dim, [&](SymbolId id) {
      if (engine_.symbols().info(id).kind == SymbolKind::kInternal) ++count;
    });
    return count;
  };
  const size_t in_a = made_up(a);
  const size_t in_b = made_up(b);
  if (in_a != in_b) return in_a < in_b ? a : b;
  return reads_before(b, a) ? b : a;
}

Dim InferContext::require_equal(Dim a, Dim b, std::string_view label, std::string_view what) {
  if (!a.known()) return b;
  if (!b.known() || a == b) return a;
  const Truth truth = prover().equal(a, b);
  if (truth == Truth::kTrue) return more_telling(a, b);
  if (truth == Truth::kUnknown) {
    const auto contradiction =
        engine_.constraints().add_equal(a, b, origin_of(node_id_, label), Holds::kEveryRun);
    if (!contradiction) return more_telling(engine_.constraints().resolve(a), b);
  }
  report(Code::kDimMismatch, label,
         fmt::format("{} must be equal, but they are {} and {}", what, to_text(a), to_text(b)),
         "change the shapes of the inputs, or the node");
  return {};
}

bool InferContext::may_hold(std::span<const std::pair<Dim, Dim>> equal,
                            std::span<const Dim> positive) {
  ConstraintSet& constraints = engine_.constraints();
  const uint64_t before = constraints.mark();
  for (const Dim dim : positive) constraints.add_at_most(lit(1), dim, {});
  const bool possible = std::all_of(equal.begin(), equal.end(), [&](const auto& pair) {
    const auto& [a, b] = pair;
    if (!a.known() || !b.known()) return true;
    return prover().equal(a, b) != Truth::kFalse && !constraints.add_equal(a, b, {});
  });
  constraints.roll_back(before);
  return possible;
}

Dim InferContext::broadcast_dims(Dim a, Dim b, std::string_view label) {
  const auto never_one = [&](Dim dim) { return dim.known() && prover().provably_not(dim, 1); };
  if (a == b || b.is(1)) return a;
  if (a.is(1)) return b;
  const bool a_never_one = never_one(a);
  const bool b_never_one = never_one(b);
  if (a_never_one && b_never_one) return require_equal(a, b, label, "the dims that broadcast");
  engine_.note_broadcast(a, b);
  if (a_never_one) return a;
  if (b_never_one) return b;
  if (a.known() && b.known() && prover().provably_equal(a, b)) return more_telling(a, b);
  return broadcast(a, b);
}

Shape InferContext::broadcast_shapes(Shape a, const Shape& b, std::string_view label) {
  if (a.size() < b.size()) return broadcast_shapes(b, a, label);
  const size_t offset = a.size() - b.size();
  for (size_t i = 0; i < b.size(); ++i) {
    a[offset + i] = broadcast_dims(a[offset + i], b[i], label);
  }
  return a;
}

Outcome InferContext::fail(Code code, std::string_view label, std::string message,
                           std::string help) {
  report(code, label, std::move(message), std::move(help));
  return Outcome::kFailed;
}

void InferContext::report(Code code, std::string_view label, std::string message,
                          std::string help) {
  engine_.add_finding(
      make_finding(code, engine_.model().place_of_node(node_id_),
                   label.empty() ? std::move(message) : fmt::format("{} [{}]", message, label),
                   std::move(help)));
}

bool InferContext::require_elem(size_t i, std::span<const ElemType> allowed,
                                std::string_view label) {
  const ElemType type = elem(i);
  if (type == ElemType::kUndefined) return true;
  if (std::find(allowed.begin(), allowed.end(), type) != allowed.end()) return true;
  std::vector<std::string_view> names;
  for (const ElemType one : allowed) names.push_back(elem_type_name(one));
  report(Code::kInputType, label,
         fmt::format("{} does not take {} as input {} ('{}'); it takes {}", node_->op_type,
                     elem_type_name(type), i, engine_.model().value(node_->inputs[i]).name,
                     fmt::join(names, ", ")),
         "cast the input");
  return false;
}

bool InferContext::require_same_elem(size_t i, size_t j, std::string_view label) {
  const ElemType a = elem(i);
  const ElemType b = elem(j);
  if (a == b || a == ElemType::kUndefined || b == ElemType::kUndefined) return true;
  report(Code::kInputType, label,
         fmt::format("inputs {} and {} must have the same type, but they are {} and {}", i, j,
                     elem_type_name(a), elem_type_name(b)),
         "cast one of them");
  return false;
}

bool InferContext::require_rank(size_t i, size_t lo, size_t hi, std::string_view label) {
  const std::optional<size_t> known = rank(i);
  if (!known || (*known >= lo && *known <= hi)) return true;
  const std::string wanted = lo == hi         ? fmt::format("{}", lo)
                             : hi == SIZE_MAX ? fmt::format("at least {}", lo)
                                              : fmt::format("{} to {}", lo, hi);
  report(Code::kInputRank, label,
         fmt::format("input {} ('{}') has rank {}; {} needs rank {}", i,
                     engine_.model().value(node_->inputs[i]).name, *known, node_->op_type, wanted));
  return false;
}

void InferContext::set(size_t i, Fact fact) {
  if (i < outputs_.size()) outputs_[i] = std::move(fact);
}

void InferContext::set_tensor(size_t i, ElemType elem, std::optional<Shape> shape) {
  if (i < outputs_.size()) outputs_[i].make_tensor(elem, std::move(shape));
}

bool InferContext::takes_elements(size_t i, size_t count) const {
  if (i >= outputs_.size() || count > kMaxElements || !outputs_[i].shape) return false;
  return element_count(pool(), *outputs_[i].shape).is(static_cast<int64_t>(count));
}

void InferContext::set_elements(size_t i, Elements elements) {
  if (!takes_elements(i, elements.size()) || !any_known(elements)) return;
  outputs_[i].elements = std::make_shared<const Elements>(std::move(elements));
}

void InferContext::set_elements(size_t i, std::shared_ptr<const Elements> elements) {
  if (elements == nullptr || !takes_elements(i, elements->size()) || !any_known(*elements)) return;
  outputs_[i].elements = std::move(elements);
}

void InferContext::set_integers(size_t i, const Shape& integers) {
  Elements elements;
  elements.reserve(integers.size());
  for (const Dim integer : integers) elements.push_back({integer, 1});
  set_elements(i, std::move(elements));
}

const Fact& InferContext::output(size_t i) const {
  static const Fact unknown;
  return i < outputs_.size() ? outputs_[i] : unknown;
}

std::vector<Fact> InferContext::infer_body(ScopeId body, std::span<const Fact> inputs, bool repeats,
                                           bool runs, Requirements* requirements) {
  return engine_.infer_body(body, inputs, repeats, runs, requirements);
}

std::vector<bool> InferContext::equal_where(const Requirements& requirements,
                                            std::span<const std::pair<Dim, Dim>> pairs) {
  ConstraintSet& constraints = engine_.constraints();
  const uint64_t before = constraints.mark();
  for (const Equality& needed : requirements.equalities) {
    static_cast<void>(constraints.add_equal(needed.a, needed.b, needed.origin, needed.holds));
  }
  for (const UpperBound& needed : requirements.bounds) {
    constraints.add_at_most(needed.lhs, needed.rhs, needed.origin, needed.holds);
  }
  std::vector<bool> equal;
  for (const auto& [a, b] : pairs) equal.push_back(prover().provably_equal(a, b));
  constraints.roll_back(before);
  return equal;
}

InferContext::Mark InferContext::mark() const { return engine_.mark(); }
void InferContext::roll_back(const Mark& mark) { engine_.roll_back(mark); }
std::vector<Fact>& InferContext::last_fixed_point() { return engine_.last_fixed_point(node_id_); }

std::optional<size_t> normalise_axis(int64_t axis, size_t rank) {
  const auto signed_rank = static_cast<int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) return std::nullopt;
  return static_cast<size_t>(axis < 0 ? axis + signed_rank : axis);
}

}  // namespace onnx_shapes
