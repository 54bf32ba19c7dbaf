// Walks scopes in topological order and gives each node to its rule, function body or fallback.
#include "infer/engine.h"

#include <fmt/format.h>

#include <algorithm>

namespace onnx_shapes {

Engine::Engine(Model& model, const RuleTable& rules, Fallback* fallback,
               const InferOptions& options, Findings& findings, Inference& result)
    : model_(model),
      operators_(model, rules),
      fallback_(fallback),
      options_(options),
      findings_(findings),
      result_(result),
      prover_(*result.pool, result.constraints.get()) {
  grow();
}

/// Schema function bodies add values to the model while inference runs.
void Engine::grow() {
  slots_.resize(model_.value_count());
  result_.facts.resize(model_.value_count());
}

void Engine::run() {
  bind_main_inputs();
  infer_scope(model_.main_graph());
  if (stop_) add_finding(std::move(*stop_));
  finish_facts();
}

void Engine::bind_main_inputs() {
  const Scope& graph = model_.scope(model_.main_graph());
  for (const ValueId id : graph.inputs) {
    if (id == kNoId) continue;
    const Value& value = model_.value(id);
    Fact fact;
    if (options_.inputs) {
      if (const auto given = options_.inputs->find(id); given != options_.inputs->end()) {
        store(id, given_fact(given->second));
        continue;
      }
      if (value.initializer != kNoId) continue;
    }
    if (value.input_annotation != kNoId) {
      fact = result_.declarations->fact(model_.annotations()[value.input_annotation].type);
    }
    name_input_dims(id, fact);
    store(id, std::move(fact));
  }
}

void Engine::name_input_dims(ValueId value, Fact& fact) {
  if (!fact.shape) return;
  for (uint32_t axis = 0; axis < fact.shape->size(); ++axis) {
    if ((*fact.shape)[axis].known()) continue;
    const Dim symbol = symbols().fresh(
        fmt::format("{}_{}", model_.value(value).name, axis),
        Interval::at_least(options_.declare.assume_nonempty ? 1 : 0),
        {.kind = Origin::Kind::kAnchor, .value = value, .axis = static_cast<int32_t>(axis)});
    (*fact.shape)[axis] = symbol;
    result_.named_inputs.push_back({value, axis, symbol});
  }
}

bool Engine::is_only_default(ValueId id) const {
  if (options_.inputs) return options_.inputs->contains(id);
  // From IR version 4 on the caller may give another tensor.
  const Value& value = model_.value(id);
  return value.scope_input && model_.ir_version() >= 4 && value.input_annotation != kNoId;
}

void Engine::set_initializers(const Scope& scope) {
  for (const ValueId id : scope.initializers) {
    if (is_only_default(id)) continue;
    const Value& value = model_.value(id);
    const Tensor& tensor = model_.tensor(value.initializer);
    Shape shape;
    shape.reserve(tensor.dims.size());
    for (const int64_t dim : tensor.dims) shape.push_back(pool().constant(dim));
    store(id, Fact::tensor(tensor.elem, std::move(shape)));
    slots_[id].constant = value.initializer;
  }
}

void Engine::infer_scope(ScopeId id) {
  set_initializers(model_.scope(id));
  InferContext context(*this);
  // By index: a schema function that is added meanwhile may move the scopes.
  for (size_t i = 0; i < model_.scope(id).nodes.size() && !stopped_; ++i) {
    infer_node(context, model_.scope(id).nodes[i]);
  }
}

bool Engine::out_of_budget(NodeId node) {
  const uint64_t visits = ++result_.node_visits;
  if (visits % 64 == 0 && options_.progress) options_.progress(visits);
  if (visits > options_.max_node_visits) {
    stop_ =
        make_finding(Code::kLimitNodes, model_.place_of_node(node),
                     fmt::format("inference visited {} nodes, the limit; what follows is unknown",
                                 options_.max_node_visits),
                     "function calls are inferred one by one; raise the limit with --max-visits");
  } else if (visits % 64 == 0 && options_.deadline &&
             std::chrono::steady_clock::now() > *options_.deadline) {
    stop_ = make_finding(Code::kLimitTime, model_.place_of_node(node),
                         "the time limit ended inference here; what follows is unknown",
                         "raise it with --timeout");
  }
  stopped_ = stop_.has_value();
  return stopped_;
}

void Engine::infer_node(InferContext& context, NodeId id) {
  if (out_of_budget(id)) return;
  context.start(id);
  const uint64_t overflows = pool().overflow_count();
  const size_t symbols_before = symbols().size();
  dispatch(context);
  finish_outputs(context, overflows);
  note_awaited(context, symbols_before);
}

/// Remembers whose contents would have told what the node leaves open.
void Engine::note_awaited(const InferContext& context, size_t symbols_before) {
  const Node& node = context.node();
  bool open = std::any_of(node.outputs.begin(), node.outputs.end(), [&](ValueId value) {
    return value != kNoId && slots_[value].fact.is_tensor() && !slots_[value].fact.shape;
  });
  for (size_t i = symbols_before; i < symbols().size() && !open; ++i) {
    const Origin& origin = symbols().info(static_cast<SymbolId>(i)).origin;
    open = origin.kind == Origin::Kind::kNode && origin.node == context.node_id_;
  }
  if (!open) return;
  std::vector<ValueId>& awaited = result_.awaited[context.node_id_];
  awaited = context.awaited_;
  const std::set<size_t> asked(context.asked_.begin(), context.asked_.end());
  for (const size_t i : asked) {
    if (i >= node.inputs.size() || node.inputs[i] == kNoId) continue;
    const Elements* elements = contents(node.inputs[i]).get();
    const bool constant =
        elements != nullptr && std::all_of(elements->begin(), elements->end(), [&](const auto& e) {
          return e.known() && !depends_on_data(e.numerator);
        });
    if (!constant) awaited.push_back(node.inputs[i]);
  }
}

/// Whether the number is not made of the dims of inputs alone.
bool Engine::depends_on_data(Dim dim) const {
  bool found = false;
  for_each_symbol(dim, [&](SymbolId id) {
    const Origin::Kind kind = result_.symbols->info(id).origin.kind;
    found = found || kind == Origin::Kind::kNode || kind == Origin::Kind::kContents;
  });
  return found;
}

/// False, and a finding, if the node has too few or too many inputs or outputs for its operator.
bool Engine::fits_arity(const InferContext& context) {
  const Node& node = context.node();
  const Arity* arity = context.operator_->arity;
  if (arity == nullptr) return true;
  const auto fits = [](size_t count, uint8_t least, uint8_t most) {
    return count >= least && (most == Arity::kAny || count <= most);
  };
  const auto report = [&](Code code, const char* what, size_t count, uint8_t least, uint8_t most) {
    const std::string wanted = most == Arity::kAny ? fmt::format("at least {}", least)
                               : least == most     ? fmt::format("{}", least)
                                                   : fmt::format("{} to {}", least, most);
    add_finding(make_finding(code, model_.place_of_node(context.node_id_),
                             fmt::format("{} (opset {}) has {} {}; this node has {}", node.op_type,
                                         context.opset(), wanted, what, count)));
    return false;
  };
  const size_t inputs = node.inputs.size();
  const size_t outputs = node.outputs.size();
  if (!fits(inputs, arity->least_inputs, arity->most_inputs)) {
    return report(Code::kInputCount, "inputs", inputs, arity->least_inputs, arity->most_inputs);
  }
  if (!fits(outputs, arity->least_outputs, arity->most_outputs)) {
    return report(Code::kOutputCount, "outputs", outputs, arity->least_outputs,
                  arity->most_outputs);
  }
  return true;
}

void Engine::dispatch(InferContext& context) {
  const Node& node = context.node();
  const OpRule* rule = context.operator_->rule;
  const ScopeId local = context.operator_->function;
  // The engines run their own operators of the standard domains, whatever functions of that name a
  // model brings; in all other domains the model's function is what the operator means.
  const bool standard = node.domain.empty() || node.domain == "ai.onnx.ml";
  if (local != kNoId && !(standard && rule != nullptr)) {
    if (!model_.recursive(local)) infer_call(context, local);
    return;
  }
  if (!fits_arity(context)) return;
  if (rule != nullptr) {
    context.failed_ = rule->infer(context) == Outcome::kFailed;
    return;
  }
  if (fallback_ != nullptr) {
    const ScopeId body = fallback_->function_body(context);
    grow();
    if (body != kNoId && infer_call(context, body)) return;
    if (fallback_->infer(context)) {
      ++result_.fallback_nodes;
      return;
    }
  }
  const std::string name = node.domain.empty() ? std::string(node.op_type)
                                               : fmt::format("{}.{}", node.domain, node.op_type);
  if (!unknown_ops_.try_emplace(name, findings_.mark()).second) return;
  add_finding(
      make_finding(Code::kUnknownOperator, model_.place_of_node(context.node_id_),
                   fmt::format("no rule for operator {} (opset {}); its outputs are unknown", name,
                               context.opset()),
                   "declare the outputs' types in value_info, or define the operator as a "
                   "model-local function"));
}

void Engine::finish_outputs(InferContext& context, uint64_t overflows_before) {
  const Node& node = context.node();
  if (pool().overflow_count() != overflows_before) {
    add_finding(make_finding(Code::kOverflow, model_.place_of_node(context.node_id_),
                             "a dim does not fit 64 bits or has too many terms; it gets a name of "
                             "its own here"));
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const ValueId value = node.outputs[i];
    if (value == kNoId) continue;
    Fact& fact = context.outputs_[i];
    if (const GivenInput* known = computed(value)) {
      adopt_computed(*known, context.node_id_, fact);
    } else {
      adopt_declared(value, fact);
    }
    complete(fact, context.node_id_, i, "d");
    if (!context.failed_) note_sizes(fact, context.node_id_);
    store(value, std::move(fact));
  }
}

/// In a run that computes the value its dims are sizes: `H - 2`, say, is then not negative.
void Engine::note_sizes(const Fact& fact, NodeId node) {
  if (!fact.is_tensor() || !fact.shape) return;
  for (const Dim dim : *fact.shape) {
    if (dim.bounds().lo >= 0) continue;
    constraints().add_at_most(pool().constant(0), dim,
                              {.kind = Origin::Kind::kNode, .node = node, .label = "size"});
  }
}

/// What the author declared stands in where inference knows nothing.
void Engine::adopt_declared(ValueId id, Fact& fact) {
  const Value& value = model_.value(id);
  uint32_t annotation = value.output_annotation;
  if (annotation == kNoId && options_.use_value_info) annotation = value.value_info;
  if (annotation == kNoId) return;
  if (fact.kind != FactKind::kUnknown &&
      !(fact.kind == FactKind::kTensor && (!fact.shape || fact.elem == ElemType::kUndefined))) {
    return;
  }
  const Fact declared = result_.declarations->fact(model_.annotations()[annotation].type);
  const bool says_more =
      fact.kind == FactKind::kUnknown
          ? declared.kind != FactKind::kUnknown
          : declared.kind == FactKind::kTensor &&
                ((!fact.shape && declared.shape) ||
                 (fact.elem == ElemType::kUndefined && declared.elem != ElemType::kUndefined));
  if (!says_more) return;
  result_.adopted.insert(id);
  if (fact.kind == FactKind::kUnknown) {
    fact = declared;
  } else {
    if (!fact.shape) fact.shape = declared.shape;
    if (fact.elem == ElemType::kUndefined) fact.elem = declared.elem;
  }
}

/// Gives every unknown dim of the fact a symbol, so that what depends on it stays related.
void Engine::complete(Fact& fact, NodeId node, size_t output, std::string_view prefix) {
  if (!fact.shape) return;
  if (fact.shape->size() > options_.max_rank) {
    add_finding(make_finding(
        Code::kLimitRank, model_.place_of_node(node),
        fmt::format("output {} has rank {}, above the limit of {}; its shape is left unknown",
                    output, fact.shape->size(), options_.max_rank),
        "raise it with --max-rank"));
    fact.shape.reset();
    fact.elements.reset();
    return;
  }
  for (size_t axis = 0; axis < fact.shape->size(); ++axis) {
    Dim& dim = (*fact.shape)[axis];
    if (!dim.known()) {
      dim = fresh(node, output, fmt::format("{}{}", prefix, axis), Interval::at_least(0));
    }
  }
}

/// What is set only once needs no other place than its slot until inference ends.
void Engine::store(ValueId id, Fact&& fact) {
  Slot& slot = slots_[id];
  std::optional<Fact>& written = result_.facts[id];
  if (repeated_ > 0 || !calls_.empty()) {
    if (slot.final) written = std::move(slot.fact);
    written_.push_back({id, written});
    written = written ? join(*written, fact) : fact;
    slot.final = false;
  } else {
    slot.final = true;
  }
  if (options_.observe) observe(id, fact);
  slot.fact = std::move(fact);
  slot.resolved.reset();
  slot.generation = constraints().any_solved() ? Slot::kStale : constraints().solution_generation();
  slot.constant = kNoId;
  slot.call = calls_.empty() ? 0 : calls_.back().id;
  slot.missing = false;
}

/// In every run that completes the two are equal, or one of them is 1.
void Engine::note_broadcast(Dim a, Dim b) {
  if (!options_.observe || region_ != 0 || repeated_ > 0 || !a.known() || !b.known()) return;
  if (broadcasts_.emplace(a.expr(), b.expr()).second) result_.broadcasts.emplace_back(a, b);
}

void Engine::observe(ValueId id, const Fact& fact) {
  const Value& value = model_.value(id);
  if (value.input_annotation == kNoId && value.output_annotation == kNoId &&
      value.value_info == kNoId) {
    return;
  }
  result_.observations.push_back({id, fact, region_});
}

bool Engine::is_resolved(const Fact& fact) const {
  const ConstraintSet& known = *result_.constraints;
  if (!known.any_solved()) return true;
  const auto stays = [&](Dim dim) { return !dim.known() || known.resolve(dim) == dim; };
  return (!fact.shape || std::all_of(fact.shape->begin(), fact.shape->end(), stays)) &&
         (!fact.elements || std::all_of(fact.elements->begin(), fact.elements->end(),
                                        [&](const Scalar& e) { return stays(e.numerator); })) &&
         stays(fact.length) && (!fact.element || is_resolved(*fact.element));
}

void Engine::resolve(Fact& fact) const {
  if (is_resolved(fact)) return;
  const auto replace = [&](Dim& dim) {
    if (dim.known()) dim = result_.constraints->resolve(dim);
  };
  if (fact.shape) {
    for (Dim& dim : *fact.shape) replace(dim);
  }
  if (fact.elements) {
    auto resolved = std::make_shared<Elements>(*fact.elements);
    for (Scalar& element : *resolved) replace(element.numerator);
    fact.elements = std::move(resolved);
  }
  replace(fact.length);
  if (fact.element) {
    Fact inner = *fact.element;
    resolve(inner);
    fact.element = std::make_shared<const Fact>(std::move(inner));
  }
}

/// Outer values are read in bodies whose constraints are forgotten later: what was set stays, and
/// the resolved fact is made anew when the constraints have changed.
void Engine::resolve_again(Slot& slot) const {
  slot.resolved.reset();
  if (!is_resolved(slot.fact)) {
    slot.resolved = std::make_unique<Fact>(slot.fact);
    resolve(*slot.resolved);
  }
  slot.generation = result_.constraints->solution_generation();
}

void Engine::hide_varying(Fact& fact, uint32_t depth) const {
  const auto varies = [&](Dim dim) {
    bool found = false;
    for_each_symbol(dim, [&](SymbolId id) { found = found || result_.repeat_depth[id] > depth; });
    return found;
  };
  const auto hide = [&](Dim& dim) {
    if (dim.known() && varies(dim)) dim = Dim();
  };
  if (fact.shape) {
    for (Dim& dim : *fact.shape) hide(dim);
  }
  if (fact.elements) {
    auto kept = std::make_shared<Elements>(*fact.elements);
    for (Scalar& element : *kept) hide(element.numerator);
    fact.elements = std::move(kept);
  }
  hide(fact.length);
  if (fact.element) {
    Fact inner = *fact.element;
    hide_varying(inner, depth);
    fact.element = std::make_shared<const Fact>(std::move(inner));
  }
}

void Engine::finish_facts() {
  note_new_symbols();
  const bool any_varies = std::any_of(result_.repeat_depth.begin(), result_.repeat_depth.end(),
                                      [](uint32_t depth) { return depth > 0; });
  for (ValueId id = 0; id < slots_.size(); ++id) {
    if (slots_[id].final) result_.facts[id] = std::move(slots_[id].fact);
  }
  for (std::optional<Fact>& fact : result_.facts) {
    if (!fact) continue;
    resolve(*fact);
    if (any_varies) hide_varying(*fact, 0);
  }
  for (Observation& observation : result_.observations) resolve(observation.fact);
}

/// Symbols made since the last call belong to the place inference is at now.
void Engine::note_new_symbols() { result_.repeat_depth.resize(symbols().size(), repeated_); }

InferContext::Mark Engine::mark() const {
  return {.constraints = result_.constraints->mark(),
          .findings = findings_.mark(),
          .written = written_.size(),
          .observations = result_.observations.size()};
}

void Engine::roll_back(const InferContext::Mark& mark) {
  constraints().roll_back(mark.constraints);
  findings_.roll_back(mark.findings);
  std::erase_if(unknown_ops_,
                [&](const auto& reported) { return reported.second >= mark.findings; });
  result_.observations.resize(mark.observations);
  while (written_.size() > mark.written) {
    result_.facts[written_.back().value] = std::move(written_.back().before);
    written_.pop_back();
  }
}

}  // namespace onnx_shapes
