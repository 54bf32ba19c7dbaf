// Subgraphs and function calls: binding formal inputs, attribute references, names of new symbols.
#include <fmt/format.h>

#include <algorithm>

#include "infer/engine.h"

namespace onnx_shapes {
namespace {

/// Calls nested deeper than this are not followed: each level takes stack.
constexpr size_t kMaxCallDepth = 500;
/// How many different calls of a function are remembered.
constexpr size_t kMaxKnownCalls = 8;

}  // namespace

/// The same node in the same call gives the same symbol again: the passes of a fixed point, and
/// another inference of the same model, find the same names.
Dim Engine::fresh(NodeId node, size_t output, std::string_view role, Interval range,
                  uint32_t deeper) {
  const uint32_t call = calls_.empty() ? 0 : calls_.back().id;
  Dim& symbol = fresh_[{call, node, output, std::string(role)}];
  if (const std::optional<SymbolId> id = symbol.known() ? as_symbol(symbol) : std::nullopt;
      id && pool().symbol_range(*id) == range) {
    return symbol;
  }
  note_new_symbols();
  const Node& source = model_.node(node);
  const bool named = output < source.outputs.size() && source.outputs[output] != kNoId;
  symbol = symbols().fresh(named ? fmt::format("{}_{}_{}", source.op_type,
                                               model_.value(source.outputs[output]).name, role)
                                 : fmt::format("{}_{}_{}", source.op_type, output, role),
                           range, {.kind = Origin::Kind::kNode, .node = node});
  result_.repeat_depth.resize(symbols().size(), repeated_ + deeper);
  return symbol;
}

const Attribute* Engine::attribute(const Node& node, std::string_view name) const {
  const Attribute* found = node.attribute(name);
  if (found == nullptr || found->reference.empty()) return found;
  if (calls_.empty()) return nullptr;
  for (const auto& [formal, actual] : calls_.back().attributes) {
    if (formal == found->reference) return actual;
  }
  return nullptr;
}

void Engine::bind_body_inputs(ScopeId body, std::span<const Fact> inputs) {
  const Scope& scope = model_.scope(body);
  for (size_t i = 0; i < scope.inputs.size(); ++i) {
    const ValueId value = scope.inputs[i];
    if (value == kNoId) continue;
    Fact fact = i < inputs.size() ? inputs[i] : Fact::unknown();
    adopt_declared(value, fact);
    complete(fact, scope.owner, i, fmt::format("{}_in{}_d", scope.attribute, i));
    store(value, std::move(fact));
  }
}

/// Unknown once inference has stopped: what the slots hold may be from an earlier pass or call.
std::vector<Fact> Engine::output_facts(ScopeId scope) {
  if (stopped_) return std::vector<Fact>(model_.scope(scope).outputs.size());
  std::vector<Fact> outputs;
  for (const ValueId value : model_.scope(scope).outputs) {
    if (value != kNoId) load_contents(slots_[value]);
    outputs.push_back(fact(value));
  }
  return outputs;
}

/// A size that is made in a body matters only where the body runs, so a bound of it that leaves
/// some number in every run takes nothing away from the runs in which the body does not.
std::vector<UpperBound> Engine::bounds_of_sizes(ScopeId body, size_t first) const {
  const auto made_inside = [&](SymbolId id) {
    const Origin& origin = result_.symbols->info(id).origin;
    if (origin.kind != Origin::Kind::kNode) return false;
    ScopeId scope = model_.node(origin.node).scope;
    while (scope != kNoId && scope != body) scope = model_.scope(scope).parent;
    return scope == body;
  };
  std::vector<UpperBound> bounds;
  for (const UpperBound& bound : result_.constraints->upper_bounds().subspan(first)) {
    const std::optional<SymbolId> symbol = as_symbol(bound.lhs);
    bool outer = symbol && made_inside(*symbol);
    if (outer) for_each_symbol(bound.rhs, [&](SymbolId id) { outer = outer && !made_inside(id); });
    if (outer) bounds.push_back(bound);
  }
  return bounds;
}

void Engine::keep_bounds(const std::vector<UpperBound>& bounds) {
  for (const UpperBound& bound : bounds) {
    const Interval range = pool().symbol_range(*as_symbol(bound.lhs));
    if (range.lo == Interval::kNegInf || !prover_.provably_at_least(bound.rhs, range.lo)) continue;
    constraints().add_at_most(bound.lhs, bound.rhs, bound.origin, bound.holds);
  }
}

std::vector<Fact> Engine::infer_body(ScopeId body, std::span<const Fact> inputs, bool repeats,
                                     bool runs, Requirements* requirements) {
  note_new_symbols();
  const uint64_t constraints_before = constraints().mark();
  const size_t equalities_before = constraints().equalities().size();
  const size_t bounds_before = constraints().upper_bounds().size();
  const size_t observed_before = result_.observations.size();
  const uint32_t region_before = region_;
  if (options_.observe && !runs) {
    result_.region_parents.push_back(region_);
    region_ = static_cast<uint32_t>(result_.region_parents.size() - 1);
  }
  if (repeats) ++repeated_;
  bind_body_inputs(body, inputs);
  infer_scope(body);
  std::vector<Fact> outputs = output_facts(body);
  note_new_symbols();
  if (repeats) {
    --repeated_;
    for (Fact& output : outputs) hide_varying(output, repeated_);
  }
  // What the body requires holds wherever its values are computed.
  for (size_t i = observed_before; i < result_.observations.size(); ++i) {
    resolve(result_.observations[i].fact);
  }
  region_ = region_before;
  std::vector<UpperBound> bounds;
  if (!repeats) bounds = bounds_of_sizes(body, bounds_before);
  if (requirements != nullptr) {
    const auto equalities = constraints().equalities().subspan(equalities_before);
    const auto upper_bounds = constraints().upper_bounds().subspan(bounds_before);
    requirements->equalities.assign(equalities.begin(), equalities.end());
    requirements->bounds.assign(upper_bounds.begin(), upper_bounds.end());
  }
  constraints().roll_back(constraints_before);
  keep_bounds(bounds);
  return outputs;
}

/// A call of its own keeps the symbols of iterations apart and joins what is known of each value.
std::vector<Fact> Engine::infer_iteration(ScopeId body, std::span<const Fact> inputs,
                                          int64_t iteration) {
  if (calls_.empty() && repeated_ == 0) iteration_.emplace(body, static_cast<size_t>(iteration));
  const uint64_t visits_before = result_.node_visits;
  Call call = calls_.empty() ? Call() : calls_.back();
  call.id = next_call_++;
  calls_.push_back(std::move(call));
  std::vector<Fact> outputs = infer_body(body, inputs, false, true);
  calls_.pop_back();
  unrolled_visits_ += 1 + result_.node_visits - visits_before;
  return outputs;
}

std::optional<bool> Engine::wanted_branch(NodeId node) {
  // An If that runs more than once may take another branch each time.
  if (repeated_ > 0 || !calls_.empty()) return std::nullopt;
  const auto wanted = options_.branches.find(node);
  if (wanted != options_.branches.end()) return wanted->second;
  result_.undecided_ifs.push_back(node);
  return std::nullopt;
}

Engine::Call Engine::bind_call(const Node& node, ScopeId function) {
  const Scope& scope = model_.scope(function);
  Call call;
  call.function = function;
  for (const std::string_view name : scope.attribute_names) {
    if (const Attribute* actual = attribute(node, name)) call.attributes.emplace_back(name, actual);
  }
  for (const Attribute& fallback : scope.attribute_defaults) {
    const Attribute* actual = attribute(node, fallback.name);
    call.attributes.emplace_back(fallback.name, actual != nullptr ? actual : &fallback);
  }
  return call;
}

const Engine::KnownCall* Engine::find_call(const Call& call,
                                           const std::vector<Fact>& inputs) const {
  const auto known = known_calls_.find(call.function);
  if (known == known_calls_.end()) return nullptr;
  for (const KnownCall& candidate : known->second) {
    // What was observed in another region does not stand for this call.
    if (candidate.call == call && candidate.repeated == (repeated_ > 0) &&
        candidate.region == region_ && candidate.inputs == inputs) {
      return &candidate;
    }
  }
  return nullptr;
}

bool Engine::infer_call(InferContext& context, ScopeId function) {
  if (calls_.size() >= kMaxCallDepth) {
    add_finding(make_finding(
        Code::kLimitNesting, model_.place_of_node(context.node_id_),
        fmt::format("function calls are nested deeper than {}; this one is not followed",
                    kMaxCallDepth)));
    return false;
  }
  const Node& node = context.node();
  Call call = bind_call(node, function);
  std::vector<Fact> inputs;
  std::vector<bool> missing;
  for (const ValueId value : node.inputs) {
    missing.push_back(value == kNoId || is_missing(value));
    if (value != kNoId) load_contents(slots_[value]);
    inputs.push_back(fact(value));
  }
  if (const KnownCall* known = find_call(call, inputs)) {
    context.outputs_ = known->outputs;
    context.outputs_.resize(node.outputs.size());
    return true;
  }
  const size_t symbols_before = symbols().size();
  const size_t findings_before = findings_.mark();
  const uint64_t constraints_before = constraints().generation();
  call.id = next_call_++;
  calls_.push_back(call);
  const Scope& scope = model_.scope(function);
  for (size_t i = 0; i < scope.inputs.size(); ++i) {
    const ValueId formal = scope.inputs[i];
    if (formal == kNoId) continue;
    const bool left_out = i >= inputs.size() || missing[i];
    store(formal, left_out ? Fact::unknown() : inputs[i]);
    slots_[formal].missing = left_out;
  }
  infer_scope(function);
  std::vector<Fact> outputs = output_facts(function);
  calls_.pop_back();
  if (!stopped_ && symbols().size() == symbols_before && findings_.mark() == findings_before &&
      constraints().generation() == constraints_before) {
    std::vector<KnownCall>& known = known_calls_[function];
    if (known.size() == kMaxKnownCalls) known.erase(known.begin());
    known.push_back({call, std::move(inputs), outputs, repeated_ > 0, region_});
  }
  // A call may leave out trailing outputs that another one takes.
  outputs.resize(node.outputs.size());
  context.outputs_ = std::move(outputs);
  return true;
}

}  // namespace onnx_shapes
