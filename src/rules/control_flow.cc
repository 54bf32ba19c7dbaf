// If, Loop, Scan and SequenceMap: operators that run a body.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "infer/engine.h"
#include "rules/fixed_point.h"
#include "rules/rules.h"

namespace onnx_shapes {
namespace {

/// The join of two branches. A dim that differs becomes a symbol between the two.
Fact join_branches(InferContext& ctx, size_t output, const Fact& a, const Fact& b) {
  Fact joined = join(a, b);
  if (!joined.shape) return joined;
  for (size_t axis = 0; axis < joined.shape->size(); ++axis) {
    Dim& dim = (*joined.shape)[axis];
    const Dim in_a = (*a.shape)[axis];
    const Dim in_b = (*b.shape)[axis];
    if (dim.known() || !in_a.known() || !in_b.known()) continue;
    dim = ctx.fresh(fmt::format("d{}", axis), output);
    ctx.at_most(dim, max(in_a, in_b), "if-join");
    ctx.at_most(min(in_a, in_b), dim, "if-join");
  }
  return joined;
}

/// The decided value of a condition.
std::optional<bool> decided(InferContext& ctx, size_t input) {
  const Dim condition = ctx.scalar_integer(input);
  if (!condition.known()) return std::nullopt;
  if (ctx.prover().provably_not(condition, 0)) return true;
  if (ctx.prover().provably_equal(condition, ctx.lit(0))) return false;
  return std::nullopt;
}

/// Y_i = then_i or else_i.
/// C1: cond is one bool. C2: both branches have as many outputs as the node. C3: the two outputs
/// have one type; their shapes may differ.
Outcome if_rule(InferContext& ctx) {
  constexpr std::array kBool = {ElemType::kBool};
  if (!ctx.require_elem(0, kBool, "C1")) return Outcome::kFailed;
  const ScopeId branches[] = {ctx.attr_graph("then_branch"), ctx.attr_graph("else_branch")};
  for (const ScopeId branch : branches) {
    if (branch == kNoId) {
      return ctx.fail(Code::kAttribute, "C2", "If needs both then_branch and else_branch");
    }
    if (ctx.scope(branch).outputs.size() != ctx.output_count()) {
      return ctx.fail(
          Code::kBranchMismatch, "C2",
          fmt::format("{} has {} outputs, but the If has {}", ctx.scope(branch).attribute,
                      ctx.scope(branch).outputs.size(), ctx.output_count()));
    }
  }
  std::optional<bool> taken = decided(ctx, 0);
  if (!taken) taken = ctx.wanted_branch();
  if (taken) {
    const std::vector<Fact> facts =
        ctx.engine().infer_body(branches[*taken ? 0 : 1], {}, false, true);
    for (size_t i = 0; i < facts.size(); ++i) ctx.set(i, facts[i]);
    return Outcome::kDone;
  }
  Requirements yes_needs;
  Requirements no_needs;
  std::vector<Fact> yes = ctx.infer_body(branches[0], {}, false, false, &yes_needs);
  std::vector<Fact> no = ctx.infer_body(branches[1], {}, false, false, &no_needs);
  align(ctx, yes, yes_needs, no);
  align(ctx, no, no_needs, yes);
  for (size_t i = 0; i < ctx.output_count(); ++i) {
    const bool known = yes[i].elem != ElemType::kUndefined && no[i].elem != ElemType::kUndefined;
    if (yes[i].kind == no[i].kind && known && yes[i].elem != no[i].elem) {
      ctx.report(Code::kBranchMismatch, "C3",
                 fmt::format("output {} is {} in then_branch but {} in else_branch", i,
                             elem_type_name(yes[i].elem), elem_type_name(no[i].elem)));
    }
    ctx.set(i, join_branches(ctx, i, yes[i], no[i]));
  }
  return Outcome::kDone;
}

/// What a formal input of the body is declared to be if that has a shape, else a scalar: both are
/// met for the iteration number and the condition.
Fact counter(InferContext& ctx, ScopeId body, size_t formal, ElemType elem, Dim value) {
  const std::vector<ValueId>& formals = ctx.scope(body).inputs;
  Shape shape;
  if (formal < formals.size() && ctx.declared_rank(formals[formal]).value_or(0) == 1) {
    shape.push_back(ctx.lit(1));
  }
  Fact fact = Fact::tensor(elem, std::move(shape));
  fact.elements = std::make_shared<const Elements>(Elements{{value, 1}});
  return fact;
}

/// How often the body of a Loop runs.
struct Trips {
  Dim limit;  // unknown if there is none
  std::optional<bool> starts;
  bool none = false;  // never
  bool at_least_one = false;
};

Trips trips(InferContext& ctx) {
  Trips result;
  if (ctx.has_input(0)) result.limit = max(ctx.scalar_integer(0), ctx.lit(0));
  result.starts = ctx.has_input(1) ? decided(ctx, 1) : std::optional<bool>(true);
  result.none = result.limit.is(0) || result.starts == false;
  const bool limited = ctx.has_input(0);
  result.at_least_one =
      result.starts == true &&
      (!limited || (result.limit.known() && ctx.prover().provably_at_least(result.limit, 1)));
  return result;
}

/// Given the condition that the body gives.
Dim trip_count(InferContext& ctx, ScopeId body, const Trips& trips, size_t first_scan_output,
               const Fact& condition_out) {
  const bool goes_on = condition_out.elements && condition_out.elements->size() == 1 &&
                       condition_out.elements->front().numerator.is(1);
  if (trips.none) return ctx.lit(0);
  if (trips.starts == true && goes_on && trips.limit.known()) return trips.limit;
  const Dim count = ctx.fresh("trip", first_scan_output);
  if (!goes_on) ctx.awaits(ctx.scope(body).outputs.front());
  if (trips.limit.known()) ctx.at_most(count, trips.limit, "loop-trip");
  return count;
}

/// [count] + the shape of one iteration's output, `count` at `axis`.
Fact stacked(const Fact& one, Dim count, int64_t axis = 0) {
  Fact all = Fact::tensor(one.is_tensor() ? one.elem : ElemType::kUndefined);
  if (!one.shape) return all;
  const std::optional<size_t> at = normalise_axis(axis, one.shape->size() + 1);
  if (!at) return all;
  all.shape = one.shape;
  all.shape->insert(all.shape->begin() + static_cast<std::ptrdiff_t>(*at), count);
  return all;
}

/// What comes of the iterations one by one.
struct Iterations {
  int64_t count = 0;
  std::vector<Fact> carried;
  std::vector<Fact> scanned;  // what holds of the output of each iteration
};

void add_scanned(Iterations& done, std::span<const Fact> outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (done.scanned.size() <= i) {
      done.scanned.push_back(outputs[i]);
    } else {
      done.scanned[i] = join(done.scanned[i], outputs[i]);
    }
  }
}

/// What the condition that a body gives is, where that is known.
std::optional<bool> decided(const Fact& condition) {
  if (!condition.elements || condition.elements->size() != 1) return std::nullopt;
  const std::optional<int64_t> number = condition.elements->front().integer().number();
  return number ? std::optional<bool>(*number != 0) : std::nullopt;
}

/// Follows the iterations of a Loop; nothing if their number is not known, is 0, or goes past the
/// budget.
std::optional<Iterations> loop_iterations(InferContext& ctx, ScopeId body,
                                          const std::vector<Fact>& initial) {
  Engine& engine = ctx.engine();
  std::optional<bool> goes_on = ctx.has_input(1) ? decided(ctx, 1) : std::optional<bool>(true);
  const std::optional<int64_t> limit =
      ctx.has_input(0) ? ctx.scalar_integer(0).number() : std::optional<int64_t>(INT64_MAX);
  if (!engine.may_unroll() || !limit || *limit < 1 || goes_on != true) return std::nullopt;
  const InferContext::Mark mark = ctx.mark();
  Iterations done{.carried = initial, .scanned = {}};
  while (goes_on == true && done.count < *limit && engine.may_unroll()) {
    std::vector<Fact> inputs = {counter(ctx, body, 0, ElemType::kInt64, ctx.lit(done.count)),
                                counter(ctx, body, 1, ElemType::kBool, ctx.lit(1))};
    inputs.insert(inputs.end(), done.carried.begin(), done.carried.end());
    const std::vector<Fact> outputs = engine.infer_iteration(body, inputs, done.count);
    ++done.count;
    goes_on = decided(outputs.front());
    const std::span<const Fact> all = outputs;
    const std::span<const Fact> carried = all.subspan(1, initial.size());
    done.carried.assign(carried.begin(), carried.end());
    add_scanned(done, all.subspan(1 + initial.size()));
    if (!goes_on && done.count < *limit) break;
  }
  if (done.count == *limit || goes_on == false) return done;
  ctx.roll_back(mark);
  return std::nullopt;
}

/// v_final, scan_outputs = Loop(M, cond, v_initial).
/// C1: body(iteration, cond, v...) -> (cond, v..., scan...). C2: M is int64, cond is bool.
Outcome loop(InferContext& ctx) {
  constexpr std::array kInt64 = {ElemType::kInt64};
  constexpr std::array kBool = {ElemType::kBool};
  if (!ctx.require_elem(0, kInt64, "C2") || !ctx.require_elem(1, kBool, "C2")) {
    return Outcome::kFailed;
  }
  const ScopeId body = ctx.attr_graph("body");
  if (body == kNoId) return ctx.fail(Code::kAttribute, "C1", "Loop needs the attribute body");
  const size_t carried = ctx.input_count() > 2 ? ctx.input_count() - 2 : 0;
  const Scope& scope = ctx.scope(body);
  if (scope.inputs.size() != carried + 2 || scope.outputs.size() < carried + 1 ||
      ctx.output_count() > scope.outputs.size() - 1) {
    return ctx.fail(Code::kBodySignature, "C1",
                    fmt::format("the body takes {} inputs and gives {} outputs, but a Loop of {} "
                                "carried values and {} outputs needs {} and {}",
                                scope.inputs.size(), scope.outputs.size(), carried,
                                ctx.output_count(), carried + 2, ctx.output_count() + 1));
  }
  std::vector<Fact> initial;
  for (size_t i = 0; i < carried; ++i) initial.push_back(ctx.input_with_contents(i + 2));
  if (const std::optional<Iterations> done = loop_iterations(ctx, body, initial)) {
    for (size_t i = 0; i < ctx.output_count(); ++i) {
      ctx.set(i, i < carried ? done->carried[i]
                             : stacked(done->scanned[i - carried], ctx.lit(done->count)));
    }
    return Outcome::kDone;
  }
  const Dim iteration = ctx.fresh_per_iteration("iteration", Interval::at_least(0));
  const std::vector<Fact> before = {counter(ctx, body, 0, ElemType::kInt64, iteration),
                                    counter(ctx, body, 1, ElemType::kBool, ctx.lit(1))};
  const Trips times = trips(ctx);
  const InferContext::Mark mark = ctx.mark();
  const FixedPoint point =
      find_fixed_point(ctx, {body, before, {}, 1, times.at_least_one}, initial);
  if (times.none) ctx.roll_back(mark);  // a body that never runs asserts and reports nothing
  const Dim count = trip_count(ctx, body, times, carried, point.outputs.front());
  for (size_t i = 0; i < carried; ++i) {
    ctx.set(i, times.none           ? initial[i]
               : times.at_least_one ? point.outputs[i + 1]
                                    : point.carried[i]);
  }
  for (size_t i = carried; i < ctx.output_count(); ++i) {
    ctx.set(i, stacked(point.outputs[i + 1], count));
  }
  return Outcome::kDone;
}

/// One slice of a scan input: the input without the axis that is scanned.
Fact slice(const Fact& whole, size_t axis) {
  Fact one = Fact::tensor(whole.elem);
  if (!whole.shape || axis >= whole.shape->size()) return one;
  one.shape = whole.shape;
  one.shape->erase(one.shape->begin() + static_cast<std::ptrdiff_t>(axis));
  return one;
}

int64_t axis_at(std::optional<std::span<const int64_t>> axes, size_t i) {
  return axes && i < axes->size() ? (*axes)[i] : 0;
}

/// What a Scan does, the same for both forms.
struct ScanForm {
  ScopeId body = kNoId;
  size_t first = 0;  // the input with which the states begin
  size_t states = 0;
  size_t scanned = 0;
};

/// Nothing, and a finding, if the node and its body do not fit together.
std::optional<ScanForm> scan_form(InferContext& ctx, size_t first) {
  ScanForm form;
  form.body = ctx.attr_graph("body");
  form.first = first;
  const int64_t scanned = ctx.attr_int("num_scan_inputs", -1);
  const size_t given = ctx.input_count() - std::min(first, ctx.input_count());
  if (form.body == kNoId || scanned < 1 || scanned > static_cast<int64_t>(given)) {
    ctx.report(Code::kAttribute, "C1",
               fmt::format("num_scan_inputs must be between 1 and the number of inputs, {}, and "
                           "the attribute body must be there",
                           given));
    return std::nullopt;
  }
  form.scanned = static_cast<size_t>(scanned);
  form.states = given - form.scanned;
  const Scope& scope = ctx.scope(form.body);
  if (scope.inputs.size() != given || scope.outputs.size() < form.states ||
      ctx.output_count() > scope.outputs.size()) {
    ctx.report(Code::kBodySignature, "C1",
               fmt::format("the body takes {} inputs and gives {} outputs, but the Scan needs {} "
                           "and {}",
                           scope.inputs.size(), scope.outputs.size(), given, ctx.output_count()));
    return std::nullopt;
  }
  return form;
}

/// Follows the iterations of a Scan; nothing if their number is not known, is 0, or goes past the
/// budget.
std::optional<Iterations> scan_iterations(InferContext& ctx, ScopeId body, Dim length,
                                          const std::vector<Fact>& initial,
                                          const std::vector<Fact>& slices) {
  Engine& engine = ctx.engine();
  const std::optional<int64_t> count = length.number();
  if (!engine.may_unroll() || !count || *count < 1) return std::nullopt;
  const InferContext::Mark mark = ctx.mark();
  Iterations done{.carried = initial, .scanned = {}};
  while (done.count < *count && engine.may_unroll()) {
    std::vector<Fact> inputs = done.carried;
    inputs.insert(inputs.end(), slices.begin(), slices.end());
    const std::vector<Fact> outputs = engine.infer_iteration(body, inputs, done.count);
    ++done.count;
    const std::span<const Fact> all = outputs;
    const std::span<const Fact> carried = all.first(initial.size());
    done.carried.assign(carried.begin(), carried.end());
    add_scanned(done, all.subspan(initial.size()));
  }
  if (done.count == *count) return done;
  ctx.roll_back(mark);
  return std::nullopt;
}

/// final_states, scan_outputs = Scan(initial_states, scan_inputs).
/// C1: body(states..., slices...) -> (states..., outputs...). C2: all scanned axes have one length.
/// C3: an axis is within the rank.
Outcome scan(InferContext& ctx) {
  const std::optional<ScanForm> form = scan_form(ctx, 0);
  if (!form) return Outcome::kFailed;
  const auto input_axes = ctx.attr_ints("scan_input_axes");
  const auto output_axes = ctx.attr_ints("scan_output_axes");
  std::vector<Fact> initial, slices;
  for (size_t i = 0; i < form->states; ++i) initial.push_back(ctx.input_with_contents(i));
  Dim length;
  for (size_t i = 0; i < form->scanned; ++i) {
    const Fact whole = ctx.input(form->states + i);
    if (!whole.shape) {
      slices.push_back(Fact::tensor(whole.elem));
      continue;
    }
    const std::optional<size_t> axis = normalise_axis(axis_at(input_axes, i), whole.shape->size());
    if (!axis) {
      return ctx.fail(Code::kAttribute, "C3",
                      fmt::format("scan_input_axes[{}] is {}, but the input has rank {}", i,
                                  axis_at(input_axes, i), whole.shape->size()));
    }
    length = ctx.require_equal(length, (*whole.shape)[*axis], "C2", "the lengths that are scanned");
    slices.push_back(slice(whole, *axis));
  }
  FixedPoint point;
  bool runs = false;
  if (const auto done = scan_iterations(ctx, form->body, length, initial, slices)) {
    runs = true;
    point.outputs = done->carried;
    point.outputs.insert(point.outputs.end(), done->scanned.begin(), done->scanned.end());
  } else {
    runs = length.known() && ctx.prover().provably_at_least(length, 1);
    const InferContext::Mark mark = ctx.mark();
    point = find_fixed_point(ctx, {form->body, {}, slices, 0, runs}, initial);
    if (length.is(0)) ctx.roll_back(mark);
  }
  for (size_t i = 0; i < form->states; ++i) {
    ctx.set(i, runs ? point.outputs[i] : length.is(0) ? initial[i] : point.carried[i]);
  }
  for (size_t i = form->states; i < ctx.output_count(); ++i) {
    const int64_t axis = axis_at(output_axes, i - form->states);
    if (point.outputs[i].shape && !normalise_axis(axis, point.outputs[i].shape->size() + 1)) {
      return ctx.fail(Code::kAttribute, "C3",
                      fmt::format("scan_output_axes[{}] is {}, but the output has rank {}",
                                  i - form->states, axis, point.outputs[i].shape->size() + 1));
    }
    ctx.set(i, stacked(point.outputs[i], length, axis));
  }
  return Outcome::kDone;
}

/// The opset-8 form: inputs are (sequence_lens, states..., scan_inputs...), every state and scan
/// input begins with a batch axis, and the sequence is axis 1 of the scan inputs.
/// C4: all batch sizes are equal.
Outcome scan_8(InferContext& ctx) {
  const std::optional<ScanForm> form = scan_form(ctx, 1);
  if (!form) return Outcome::kFailed;
  Dim batch, length;
  std::vector<Fact> initial, slices;
  for (size_t i = 0; i < form->states + form->scanned; ++i) {
    const Fact& whole = ctx.input(form->first + i);
    const size_t least = i < form->states ? 1 : 2;
    if (!ctx.require_rank(form->first + i, least, SIZE_MAX, "C3")) return Outcome::kFailed;
    if (whole.shape)
      batch = ctx.require_equal(batch, whole.shape->front(), "C4", "the batch sizes");
    if (i < form->states) {
      initial.push_back(slice(whole, 0));
    } else {
      if (whole.shape) {
        length = ctx.require_equal(length, (*whole.shape)[1], "C2", "the lengths that are scanned");
      }
      slices.push_back(slice(slice(whole, 1), 0));
    }
  }
  const auto at_least_one = [&](Dim dim) {
    return dim.known() && ctx.prover().provably_at_least(dim, 1);
  };
  // The sequences of the batch may be of different lengths, but all their slices have one shape.
  FixedPoint point;
  std::optional<Iterations> done;
  if (at_least_one(batch) && !ctx.has_input(0)) {
    done = scan_iterations(ctx, form->body, length, initial, slices);
  }
  if (done) {
    point.carried = done->carried;
    point.outputs = done->carried;
    point.outputs.insert(point.outputs.end(), done->scanned.begin(), done->scanned.end());
  } else {
    const InferContext::Mark mark = ctx.mark();
    const bool runs = at_least_one(batch) && at_least_one(length) && !ctx.has_input(0);
    point = find_fixed_point(ctx, {form->body, {}, slices, 0, runs}, initial);
    if (length.is(0)) ctx.roll_back(mark);
  }
  for (size_t i = 0; i < ctx.output_count(); ++i) {
    ctx.set(i, i < form->states ? stacked(point.carried[i], batch)
                                : stacked(stacked(point.outputs[i], length), batch));
  }
  return Outcome::kDone;
}

/// Each output is the sequence of what the body gives for each element.
/// C1: input 0 is a sequence; further inputs are sequences of the same length or tensors.
Outcome sequence_map(InferContext& ctx) {
  const ScopeId body = ctx.attr_graph("body");
  if (body == kNoId)
    return ctx.fail(Code::kAttribute, "C1", "SequenceMap needs the attribute body");
  std::vector<Fact> inputs;
  Dim length;
  for (size_t i = 0; i < ctx.input_count(); ++i) {
    const Fact& fact = ctx.input(i);
    if (fact.kind != FactKind::kSequence) {
      if (i == 0 && fact.kind != FactKind::kUnknown) {
        return ctx.fail(Code::kInputType, "C1",
                        "the first input of SequenceMap must be a sequence");
      }
      inputs.push_back(fact);
      continue;
    }
    length = ctx.require_equal(length, fact.length, "C1", "the lengths of the sequences");
    inputs.push_back(fact.element ? *fact.element : Fact::unknown());
  }
  if (ctx.scope(body).inputs.size() != inputs.size() ||
      ctx.scope(body).outputs.size() < ctx.output_count()) {
    return ctx.fail(Code::kBodySignature, "C1", "the body does not fit the inputs and outputs");
  }
  const InferContext::Mark mark = ctx.mark();
  const bool runs = length.known() && ctx.prover().provably_at_least(length, 1);
  const std::vector<Fact> outputs = ctx.infer_body(body, inputs, true, runs);
  if (length.is(0)) ctx.roll_back(mark);
  for (size_t i = 0; i < ctx.output_count(); ++i) {
    Fact element = outputs[i];
    element.elements = nullptr;
    ctx.set(i, Fact::sequence(std::move(element), length));
  }
  return Outcome::kDone;
}

constexpr auto kRules = std::to_array<OpRule>({
    {"If", 1, if_rule},
    {"Loop", 1, loop},
    {"Scan", 8, scan_8},
    {"Scan", 9, scan},
    {"SequenceMap", 17, sequence_map},
});

}  // namespace

std::span<const Family> control_flow_family() {
  static constexpr Family kFamilies[] = {{"", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
