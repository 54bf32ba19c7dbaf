// Sequences and optionals. A sequence carries one fact that holds of all its elements, and a
// length.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "infer/engine.h"
#include "rules/contents.h"
#include "rules/rules.h"

namespace onnx_shapes {
namespace {

constexpr std::array kIndexTypes{ElemType::kInt32, ElemType::kInt64};

/// The fact of a sequence's elements; unknown if nothing is known of them.
Fact element_of(const Fact& sequence) {
  return sequence.kind == FactKind::kSequence && sequence.element ? *sequence.element
                                                                  : Fact::unknown();
}

/// Checks that input i is a sequence (C1), where its kind is known.
bool require_sequence(InferContext& ctx, size_t i) {
  const FactKind kind = ctx.input(i).kind;
  if (kind == FactKind::kSequence || kind == FactKind::kUnknown) return true;
  ctx.report(Code::kInputType, "C1", fmt::format("input {} is not a sequence", i));
  return false;
}

/// Checks that two elements may be in one sequence: same kind and type (label C2).
bool same_type(InferContext& ctx, const Fact& a, const Fact& b) {
  const bool known = a.is_tensor() && b.is_tensor() && a.elem != ElemType::kUndefined &&
                     b.elem != ElemType::kUndefined;
  if (!known || a.elem == b.elem) return true;
  ctx.report(Code::kInputType, "C2",
             fmt::format("a sequence cannot hold both {} and {}", elem_type_name(a.elem),
                         elem_type_name(b.elem)));
  return false;
}

/// SequenceConstruct: a sequence of the inputs.
///   C2  the inputs have the same type
Outcome sequence_construct(InferContext& ctx) {
  if (ctx.input_count() == 0) {
    return ctx.fail(Code::kInputCount, "C1", "a sequence is made of at least one tensor");
  }
  Fact element = ctx.input(0);
  for (size_t i = 1; i < ctx.input_count(); ++i) {
    if (!same_type(ctx, element, ctx.input(i))) return Outcome::kFailed;
    element = join(element, ctx.input(i));
  }
  ctx.set(0, Fact::sequence(std::move(element), ctx.lit(static_cast<int64_t>(ctx.input_count()))));
  return Outcome::kDone;
}

/// SequenceEmpty: no elements, of type dtype (float by default).
Outcome sequence_empty(InferContext& ctx) {
  const ElemType elem = elem_type(ctx.attr_int("dtype", static_cast<int64_t>(ElemType::kFloat)));
  ctx.set(0, Fact::sequence(Fact::tensor(elem), ctx.lit(0)));
  return Outcome::kDone;
}

/// SequenceInsert: one more element; it alone where the sequence was empty.
///   C1  input 0 is a sequence    C2  of the tensor's type    C3  position is a scalar integer
Outcome sequence_insert(InferContext& ctx) {
  if (!require_sequence(ctx, 0) || !ctx.require_elem(2, kIndexTypes, "C3")) {
    return Outcome::kFailed;
  }
  const Fact& sequence = ctx.input(0);
  const Fact& added = ctx.input(1);
  const Fact element = element_of(sequence);
  if (!same_type(ctx, element, added)) return Outcome::kFailed;
  const bool was_empty = sequence.length.is(0);
  ctx.set(0, Fact::sequence(was_empty ? added : join(element, added), sequence.length + 1));
  return Outcome::kDone;
}

/// SequenceErase: one element less.
///   C1  input 0 is a sequence    C3  position is a scalar integer    C4  it is not empty
Outcome sequence_erase(InferContext& ctx) {
  if (!require_sequence(ctx, 0) || !ctx.require_elem(1, kIndexTypes, "C3")) {
    return Outcome::kFailed;
  }
  const Dim length = ctx.input(0).length;
  if (length.is(0)) return ctx.fail(Code::kInputValue, "C4", "the sequence is empty");
  ctx.set(0, Fact::sequence(element_of(ctx.input(0)), length - 1));
  ctx.at_most(ctx.lit(1), length, "C4");
  return Outcome::kDone;
}

/// The length along the axis of part `position` of a SplitToSequence node; unknown if it is not
/// known. A chunk is shorter where less is left.
Dim part_length(InferContext& ctx, const Node& split, Dim whole, int64_t position) {
  Engine& engine = ctx.engine();
  if (split.inputs.size() < 2) return {};
  const Elements* lengths = engine.contents(split.inputs[1]).get();
  const Fact& argument = engine.fact(split.inputs[1]);
  if (lengths == nullptr || !argument.shape) return {};
  const auto count = static_cast<int64_t>(lengths->size());
  if (argument.shape->size() == 1) {
    if (position < 0) position += count;
    const bool inside = position >= 0 && position < count;
    return inside ? (*lengths)[static_cast<size_t>(position)].integer() : Dim();
  }
  if (count != 1) return {};
  const Dim chunk = lengths->front().integer();
  const Dim index = position < 0 ? ceil_div(whole, chunk) + position : ctx.lit(position);
  const Dim left = whole - chunk * index;
  return ctx.prover().at_most(chunk, left) == Truth::kTrue ? chunk : min(chunk, left);
}

/// Element `position`, traced to the node that made the sequence: that tells more than the fact of
/// the sequence, which holds of all its elements.
std::optional<Fact> traced_element(InferContext& ctx, int64_t position) {
  Engine& engine = ctx.engine();
  const ValueId sequence = ctx.node().inputs[0];
  const NodeId producer = engine.model().value(sequence).producer;
  if (producer == kNoId) return std::nullopt;
  const Node& node = engine.model().node(producer);
  const bool own = engine.model().function(node.domain, node.op_type, node.overload) != kNoId;
  if (own || !node.domain.empty()) return std::nullopt;
  if (node.op_type == "SequenceConstruct") {
    const auto index = normalise_axis(position, node.inputs.size());
    return index ? std::optional(engine.fact(node.inputs[*index])) : std::nullopt;
  }
  if (node.op_type != "SplitToSequence" || node.inputs.size() < 2) return std::nullopt;
  Fact part = element_of(ctx.input(0));
  const Fact whole = engine.fact(node.inputs[0]);
  if (!part.shape || !whole.shape) return std::nullopt;
  const Attribute* given = engine.attribute(node, "axis");
  const auto axis = normalise_axis(given != nullptr ? given->int_value : 0, whole.shape->size());
  if (!axis || part.shape->size() != whole.shape->size()) return std::nullopt;
  const Dim length = part_length(ctx, node, (*whole.shape)[*axis], position);
  if (length.known()) (*part.shape)[*axis] = length;
  return part;
}

/// SequenceAt: an element.
///   C1  input 0 is a sequence    C3  position is a scalar integer    C4  it is not empty
Outcome sequence_at(InferContext& ctx) {
  if (!require_sequence(ctx, 0) || !ctx.require_elem(1, kIndexTypes, "C3")) {
    return Outcome::kFailed;
  }
  ctx.set(0, element_of(ctx.input(0)));
  const Dim length = ctx.input(0).length;
  if (length.is(0)) return ctx.fail(Code::kInputValue, "C4", "the sequence is empty");
  ctx.at_most(ctx.lit(1), length, "C4");
  const auto position = ctx.scalar_integer(1).number();
  if (position && ctx.has_input(0)) {
    if (auto element = traced_element(ctx, *position)) ctx.set(0, std::move(*element));
  }
  return Outcome::kDone;
}

/// SequenceLength: the length as a scalar.
///   C1  input 0 is a sequence
Outcome sequence_length(InferContext& ctx) {
  ctx.set_tensor(0, ElemType::kInt64, Shape{});
  if (!require_sequence(ctx, 0)) return Outcome::kFailed;
  const Dim length = ctx.input(0).length;
  if (length.known()) ctx.set_integers(0, {length});
  return Outcome::kDone;
}

/// What SplitToSequence makes along the axis: the length that all parts have (unknown if they
/// differ) and their number.
struct Parts {
  Dim length, count;
};

Parts parts_of(InferContext& ctx, Dim whole) {
  if (!ctx.has_input(1)) return {.length = ctx.lit(1), .count = whole};
  if (ctx.rank(1) == 0) {
    const Dim chunk = ctx.scalar_integer(1);
    ctx.at_most(ctx.lit(1), chunk, "C5");
    Parts parts{.length = {}, .count = ceil_div(whole, chunk)};
    // The last part is shorter unless the chunk divides the whole.
    if (exact_quotient(whole, chunk).known()) parts.length = chunk;
    if (ctx.prover().at_most(whole, chunk) == Truth::kTrue) parts.length = whole;
    return parts;
  }
  if (ctx.rank(1) != 1) return {};
  Parts parts{.length = {}, .count = (*ctx.shape(1))[0]};
  const std::optional<Shape> lengths = ctx.integers(1);
  if (!lengths || lengths->empty()) return parts;
  Dim sum = ctx.lit(0);
  for (const Dim length : *lengths) {
    ctx.at_most(ctx.lit(0), length, "C5");
    sum = sum + length;
  }
  ctx.require_equal(sum, whole, "C6", "the sum of the lengths and the dim that is split");
  const bool equal = std::all_of(lengths->begin(), lengths->end(),
                                 [&](Dim length) { return length == lengths->front(); });
  if (equal) parts.length = lengths->front();
  return parts;
}

/// SplitToSequence: parts of one element each, of `split` elements, or of the lengths in `split`.
///   C3  split is a scalar or 1-D     C4  -r <= axis < r
///   C5  no length is negative, a scalar above 0
///   C6  the lengths add up to the dim
/// keepdims=0 drops the axis, but only where split is left out.
Outcome split_to_sequence(InferContext& ctx) {
  ctx.set(0, Fact::sequence(Fact::tensor(ctx.elem(0))));
  if (!ctx.require_elem(1, kIndexTypes, "I") || !ctx.require_rank(1, 0, 1, "C3")) {
    return Outcome::kFailed;
  }
  if (!ctx.rank(0)) {
    if (ctx.has_input(1) && ctx.rank(1) == 1) {
      ctx.set(0, Fact::sequence(Fact::tensor(ctx.elem(0)), (*ctx.shape(1))[0]));
    }
    return Outcome::kDone;
  }
  const Shape dims = *ctx.shape(0);
  const int64_t given = ctx.attr_int("axis", 0);
  const auto axis = normalise_axis(given, dims.size());
  if (!axis) {
    return ctx.fail(Code::kAttribute, "C4",
                    fmt::format("axis {} is outside of the axes of rank {}", given, dims.size()));
  }
  const std::optional<Shape> lengths = ctx.integers(1);
  if (lengths && std::any_of(lengths->begin(), lengths->end(), [&](Dim length) {
        return length.bounds().hi < (ctx.rank(1) == 0 ? 1 : 0);
      })) {
    return ctx.fail(Code::kInputValue, "C5", "a length in split is negative, or 0 for all parts");
  }
  const Parts parts = parts_of(ctx, dims[*axis]);
  Shape part = dims;
  part[*axis] = parts.length;
  if (!ctx.has_input(1) && ctx.attr_int("keepdims", 1) == 0) {
    part.erase(part.begin() + static_cast<ptrdiff_t>(*axis));
  }
  ctx.set(0, Fact::sequence(Fact::tensor(ctx.elem(0), std::move(part)), parts.count));
  return Outcome::kDone;
}

/// ConcatFromSequence: the elements one after the other along axis, or stacked on a new one.
///   C1  input 0 is a sequence    C2  axis is given and one of the elements' axes (or a new one)
Outcome concat_from_sequence(InferContext& ctx) {
  const Fact element = element_of(ctx.input(0));
  const Dim length = ctx.input(0).length;
  ctx.set_tensor(0, element.elem);
  if (!require_sequence(ctx, 0)) return Outcome::kFailed;
  const auto given = ctx.attr_int("axis");
  if (!given) return ctx.fail(Code::kAttribute, "C2", "the attribute axis is missing");
  if (!element.shape) return Outcome::kDone;
  const bool stack = ctx.attr_int("new_axis", 0) != 0;
  Shape out = *element.shape;
  const auto axis = normalise_axis(*given, out.size() + (stack ? 1 : 0));
  if (!axis) {
    return ctx.fail(
        Code::kAttribute, "C2",
        fmt::format("axis {} is outside of the axes of elements of rank {}", *given, out.size()));
  }
  if (stack) {
    out.insert(out.begin() + static_cast<ptrdiff_t>(*axis), length);
  } else {
    out[*axis] = out[*axis] * length;
  }
  ctx.set_tensor(0, element.elem, std::move(out));
  return Outcome::kDone;
}

/// The fact that a type attribute states: tensors and sequences of them.
Fact fact_of(const DeclaredType& type) {
  if (type.kind == DeclaredType::Kind::kTensor) return Fact::tensor(type.elem);
  if (type.kind != DeclaredType::Kind::kSequence) return Fact::unknown();
  return Fact::sequence(type.element ? fact_of(*type.element) : Fact::unknown());
}

/// Optional: an optional that holds the input, or an empty one of the type attribute.
///   C1  an input or the attribute type
Outcome optional_of(InferContext& ctx) {
  if (ctx.has_input(0)) {
    ctx.set(0, Fact::optional(ctx.input(0), ctx.lit(1)));
    return Outcome::kDone;
  }
  const Attribute* type = ctx.attribute("type");
  if (type == nullptr || !type->type) {
    ctx.set(0, Fact::optional(Fact::unknown()));
    return ctx.fail(Code::kInputCount, "C1", "neither an input nor the attribute type is given");
  }
  ctx.set(0, Fact::optional(fact_of(*type->type), ctx.lit(0)));
  return Outcome::kDone;
}

/// OptionalHasElement: a bool scalar. What is not an optional has an element (opset 18), and an
/// input that is left out has none.
Outcome optional_has_element(InferContext& ctx) {
  ctx.set_tensor(0, ElemType::kBool, Shape{});
  const Fact& input = ctx.input(0);
  if (!ctx.has_input(0)) {
    ctx.set_integers(0, {ctx.lit(0)});
  } else if (input.kind == FactKind::kTensor || input.kind == FactKind::kSequence) {
    ctx.set_integers(0, {ctx.lit(1)});
  } else if (input.kind == FactKind::kOptional && input.length.known()) {
    ctx.set_integers(0, {input.length});
  }
  return Outcome::kDone;
}

/// OptionalGetElement: what the optional holds; the input itself if it is none (opset 18).
Outcome optional_get_element(InferContext& ctx) {
  const Fact input = ctx.input(0);
  if (input.kind == FactKind::kOptional) {
    ctx.set(0, input.element ? *input.element : Fact::unknown());
  } else {
    ctx.set(0, input);
    copy_elements(ctx, 0, 0);
  }
  return Outcome::kDone;
}

constexpr auto kRules = std::to_array<OpRule>({
    {"SequenceConstruct", 11, sequence_construct},
    {"SequenceEmpty", 11, sequence_empty},
    {"SequenceInsert", 11, sequence_insert},
    {"SequenceErase", 11, sequence_erase},
    {"SequenceAt", 11, sequence_at},
    {"SequenceLength", 11, sequence_length},
    {"SplitToSequence", 11, split_to_sequence},
    {"ConcatFromSequence", 11, concat_from_sequence},
    {"Optional", 15, optional_of},
    {"OptionalHasElement", 15, optional_has_element},
    {"OptionalGetElement", 15, optional_get_element},
});

}  // namespace

std::span<const Family> sequence_family() {
  static constexpr Family kFamilies[] = {{"", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
