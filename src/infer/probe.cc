#include "infer/probe.h"

#include <algorithm>
#include <unordered_set>

#include "infer/engine.h"

namespace onnx_shapes {
namespace {

/// Contents with more elements are not asked about one by one.
constexpr size_t kMaxAsked = 64;
/// Node visits that all questions together may take.
constexpr uint64_t kMaxVisits = 1'000'000;

const Fact& innermost(const Fact& fact) {
  const Fact* level = &fact;
  while (level->element) level = level->element.get();
  return *level;
}

/// The fact with one of its numbers replaced.
Fact replaced(const Fact& fact, Part part, Dim with) {
  Fact result = fact;
  if (part.kind == Part::Kind::kLength) {
    result.length = with;
  } else if (fact.element) {
    result.element = std::make_shared<const Fact>(replaced(*fact.element, part, with));
  } else if (part.kind == Part::Kind::kDim) {
    (*result.shape)[part.index] = with;
  } else {
    auto elements = std::make_shared<Elements>(*fact.elements);
    (*elements)[part.index].numerator = with;
    result.elements = std::move(elements);
  }
  return result;
}

}  // namespace

Dim dim_of(const Fact& fact, Part part) {
  if (part.kind == Part::Kind::kLength) return fact.length;
  const Fact& tensor = innermost(fact);
  if (part.kind == Part::Kind::kDim) {
    return tensor.shape && part.index < tensor.shape->size() ? (*tensor.shape)[part.index] : Dim();
  }
  return tensor.elements && part.index < tensor.elements->size()
             ? (*tensor.elements)[part.index].integer()
             : Dim();
}

class Probe::Impl {
 public:
  Impl(Model& model, const RuleTable& rules, Fallback* fallback, const InferOptions& options,
       Inference& inference)
      : options_(patient(options, inference)),
        inference_(inference),
        facts_(inference.facts),
        adopted_(inference.adopted),
        undecided_ifs_(inference.undecided_ifs.size()),
        node_visits_(inference.node_visits),
        fallback_nodes_(inference.fallback_nodes),
        engine_(model, rules, fallback, options_, findings_, inference),
        any_(inference.symbols->fresh("number", Interval::at_least(0), {})),
        any_element_(inference.symbols->fresh("number", Interval::all(), {})) {
    for (ValueId id = 0; id < facts_.size(); ++id) seed(id);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    inference_.node_visits = node_visits_;
    inference_.fallback_nodes = fallback_nodes_;
  }

  Sources sources(Part output) {
    const NodeId id = model().value(output.value).producer;
    if (id == kNoId) return {};
    if (const std::optional<Sources> branches = of_branches(id, output)) return *branches;
    const ScopeId scope = model().node(id).scope;
    const bool call_needed = inside_function(scope);
    // Calls that were asked about have left their facts.
    if (call_needed) seed_scope(scope);
    const std::vector<Part> candidates = candidates_of(id);
    const Dim number = known(output);
    if (call_needed) {
      const auto same = std::find_if(candidates.begin(), candidates.end(), [&](Part part) {
        return number.known() && known(part) == number;
      });
      if (same == candidates.end()) return {};
      return {.parts = {*same}, .unchanged = true};
    }
    return asked(id, output, candidates);
  }

  Dim constant(Part element) {
    Engine::Slot& slot = engine_.slots_[element.value];
    if (model().value(element.value).initializer == kNoId) return {};
    engine_.load_contents(slot);
    return dim_of(slot.fact, element);
  }

 private:
  static InferOptions patient(InferOptions options, const Inference& inference) {
    options.max_node_visits = inference.node_visits + kMaxVisits;
    options.observe = false;
    options.progress = nullptr;
    return options;
  }

  [[nodiscard]] const Model& model() const { return engine_.model(); }

  /// What the finished inference says.
  [[nodiscard]] Dim known(Part part) const {
    const std::optional<Fact>& fact = facts_[part.value];
    return fact ? resolved(dim_of(*fact, part)) : Dim();
  }

  [[nodiscard]] Dim resolved(Dim dim) const {
    return dim.known() ? inference_.constraints->resolve(dim) : dim;
  }

  [[nodiscard]] bool inside_function(ScopeId scope) const {
    while (model().scope(scope).parent != kNoId) scope = model().scope(scope).parent;
    return model().scope(scope).kind == Scope::Kind::kFunction;
  }

  void seed(ValueId id) {
    Engine::Slot& slot = engine_.slots_[id];
    slot = {};
    inference_.facts[id] = facts_[id];
    if (!facts_[id]) return;
    slot.fact = *facts_[id];
    slot.generation = engine_.constraints().generation();
    const TensorId tensor = model().value(id).initializer;
    if (tensor != kNoId && !engine_.is_only_default(id)) slot.constant = tensor;
  }

  /// The node's outputs when a part of an input is another number.
  std::vector<Fact> inferred(NodeId id, std::span<const Part> changed, Dim with) {
    const InferContext::Mark mark = engine_.mark();
    for (const Part& part : changed) {
      (void)engine_.contents(part.value);
      Engine::Slot& slot = engine_.slots_[part.value];
      slot.fact = replaced(engine_.fact(part.value), part, with);
      slot.resolved.reset();
    }
    // What an earlier question had to forget is known again.
    engine_.fixed_points_.clear();
    InferContext context(engine_);
    engine_.infer_node(context, id);
    const Node& node = model().node(id);
    std::vector<Fact> outputs;
    for (const ValueId value : node.outputs) {
      outputs.push_back(value == kNoId ? Fact::unknown() : engine_.slots_[value].fact);
    }
    engine_.roll_back(mark);
    if (inference_.adopted.size() != adopted_.size()) inference_.adopted = adopted_;
    inference_.undecided_ifs.resize(undecided_ifs_);
    for (const Part& part : changed) seed(part.value);
    for (const ValueId value : node.outputs) {
      if (value != kNoId) seed(value);
    }
    for (const ScopeId body : bodies_of(node)) seed_scope(body);
    return outputs;
  }

  void seed_scope(ScopeId id) {
    const Scope& scope = model().scope(id);
    for (const auto* values : {&scope.inputs, &scope.initializers}) {
      for (const ValueId value : *values) {
        if (value != kNoId) seed(value);
      }
    }
    for (const NodeId inner : scope.nodes) {
      for (const ValueId value : model().node(inner).outputs) {
        if (value != kNoId) seed(value);
      }
      for (const ScopeId body : bodies_of(model().node(inner))) seed_scope(body);
    }
  }

  static std::vector<ScopeId> bodies_of(const Node& node) {
    std::vector<ScopeId> bodies;
    for (const Attribute& attribute : node.attributes) {
      bodies.insert(bodies.end(), attribute.graphs.begin(), attribute.graphs.end());
    }
    return bodies;
  }

  /// An If gives what its branches give.
  std::optional<Sources> of_branches(NodeId id, Part output) const {
    const Node& node = model().node(id);
    if (node.op_type != "If" || !node.domain.empty()) return std::nullopt;
    Sources result;
    for (const char* name : {"then_branch", "else_branch"}) {
      const Attribute* branch = node.attribute(name);
      if (branch == nullptr || branch->graphs.empty()) return std::nullopt;
      const std::vector<ValueId>& outputs = model().scope(branch->graphs.front()).outputs;
      const uint32_t at = model().value(output.value).output_index;
      if (at >= outputs.size() || outputs[at] == kNoId) return std::nullopt;
      // A branch that is never taken has no facts.
      if (!facts_[outputs[at]]) continue;
      result.parts.push_back({outputs[at], output.kind, output.index});
    }
    const Dim number = known(output);
    const auto same = [&](Part part) { return number.known() && known(part) == number; };
    if (!result.parts.empty() && std::all_of(result.parts.begin(), result.parts.end(), same)) {
      result.parts.resize(1);
      result.unchanged = true;
    }
    return result;
  }

  void add_outer_values(ScopeId body, ScopeId outside, std::vector<ValueId>& values) const {
    for (const NodeId inner : model().scope(body).nodes) {
      for (const ValueId value : model().node(inner).inputs) {
        if (value == kNoId) continue;
        // Visible where the node itself stands.
        for (ScopeId scope = outside; scope != kNoId; scope = model().scope(scope).parent) {
          if (model().value(value).scope == scope) values.push_back(value);
        }
      }
      for (const ScopeId deeper : bodies_of(model().node(inner))) {
        add_outer_values(deeper, outside, values);
      }
    }
  }

  /// The parts of all values that the node reads, in order.
  std::vector<Part> candidates_of(NodeId id) {
    const Node& node = model().node(id);
    std::vector<ValueId> values(node.inputs.begin(), node.inputs.end());
    for (const ScopeId body : bodies_of(node)) add_outer_values(body, node.scope, values);
    std::vector<Part> parts;
    for (size_t i = 0; i < values.size(); ++i) {
      const ValueId value = values[i];
      if (value == kNoId || !facts_[value]) continue;
      if (std::find(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(i), value) !=
          values.begin() + static_cast<std::ptrdiff_t>(i)) {
        continue;
      }
      (void)engine_.contents(value);
      const Fact& fact = engine_.fact(value);
      if (fact.length.known()) parts.push_back({value, Part::Kind::kLength, 0});
      const Fact& tensor = innermost(fact);
      const auto add = [&](Part::Kind kind, size_t count) {
        for (size_t at = 0; at < count; ++at) {
          parts.push_back({value, kind, static_cast<uint32_t>(at)});
        }
      };
      if (tensor.elements && tensor.elements->size() <= kMaxAsked) {
        add(Part::Kind::kElement, tensor.elements->size());
      }
      if (tensor.shape) add(Part::Kind::kDim, tensor.shape->size());
    }
    return parts;
  }

  /// Whether the finished inference has the same number there. The contents of constants are not
  /// among its facts.
  [[nodiscard]] bool same_number(Part part, Dim number) {
    return number.known() && resolved(usual(part)) == number;
  }

  /// What the engine has there when nothing is changed; contents are loaded anew after each
  /// question.
  [[nodiscard]] Dim usual(Part part) {
    (void)engine_.contents(part.value);
    return dim_of(engine_.fact(part.value), part);
  }

  Sources asked(NodeId id, Part output, const std::vector<Part>& candidates) {
    const Dim number = known(output);
    const uint32_t index = model().value(output.value).output_index;
    const auto outcome = [&](std::span<const Part> changed) {
      // Where the number is no size, another one need not be.
      const Dim old = changed.size() == 1 ? usual(changed.front()) : any_;
      const Dim with = old.known() && old.bounds().lo >= 0 ? any_ : any_element_;
      return dim_of(inferred(id, changed, with)[index], output);
    };
    const Dim before = outcome({});
    std::vector<Part> decisive, same, exact;
    for (const Part& part : candidates) {
      const bool number_is_same = same_number(part, number);
      if (number_is_same) same.push_back(part);
      const Dim other = outcome({&part, 1});
      if (engine_.stopped_) return {};
      if (other == before) continue;
      decisive.push_back(part);
      if (number_is_same && (other == any_ || other == any_element_)) exact.push_back(part);
    }
    // The dims of a tensor whose contents decide are beside the point.
    std::unordered_set<ValueId> read;
    for (const Part& part : decisive) {
      if (part.kind == Part::Kind::kElement) read.insert(part.value);
    }
    std::erase_if(decisive, [&](Part part) {
      return part.kind == Part::Kind::kDim && read.contains(part.value);
    });
    if (!exact.empty()) return {.parts = {nearest(exact, output)}, .unchanged = true};
    std::vector<Part> both;
    for (const Part& part : decisive) {
      if (!number.number() && same_number(part, number)) both.push_back(part);
    }
    if (!both.empty()) return {.parts = {nearest(both, output)}, .unchanged = true};
    // Inputs that must agree have no say one by one.
    if (decisive.empty() && !same.empty() && outcome(same) == any_) {
      return {.parts = {nearest(same, output)}, .unchanged = true};
    }
    return {.parts = std::move(decisive), .unchanged = false};
  }

  /// The part at the same place, where there is one.
  static Part nearest(const std::vector<Part>& parts, Part output) {
    const auto same_place = std::find_if(parts.begin(), parts.end(), [&](Part part) {
      return part.kind == output.kind && part.index == output.index;
    });
    return same_place == parts.end() ? parts.front() : *same_place;
  }

  InferOptions options_;
  Findings findings_;
  Inference& inference_;
  // Those of the finished inference.
  std::vector<std::optional<Fact>> facts_;
  std::unordered_set<ValueId> adopted_;
  size_t undecided_ifs_;
  uint64_t node_visits_, fallback_nodes_;
  Engine engine_;
  Dim any_, any_element_;
};

Probe::Probe(Model& model, const RuleTable& rules, Fallback* fallback, const InferOptions& options,
             Inference& inference)
    : impl_(std::make_unique<Impl>(model, rules, fallback, options, inference)) {}

Probe::~Probe() = default;

Sources Probe::sources(Part output) { return impl_->sources(output); }

Dim Probe::constant(Part element) { return impl_->constant(element); }

}  // namespace onnx_shapes
