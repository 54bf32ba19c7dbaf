// The walk over scopes and nodes behind infer(): slots of facts, bodies, function calls.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "infer/infer.h"
#include "infer/operators.h"

namespace onnx_shapes {

class Engine {
 public:
  Engine(Model& model, const RuleTable& rules, Fallback* fallback, const InferOptions& options,
         Findings& findings, Inference& result);

  void run();

  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] Model& mutable_model() { return model_; }
  [[nodiscard]] Pool& pool() { return *result_.pool; }
  [[nodiscard]] SymbolTable& symbols() { return *result_.symbols; }
  [[nodiscard]] ConstraintSet& constraints() { return *result_.constraints; }
  [[nodiscard]] Prover& prover() { return prover_; }
  [[nodiscard]] Findings& findings() { return findings_; }
  [[nodiscard]] const InferOptions& options() const { return options_; }
  [[nodiscard]] const Operator& operator_of(const Node& node) { return operators_.of(node); }

  /// The current fact of a value with every solved symbol replaced; the unknown fact for kNoId.
  [[nodiscard]] const Fact& fact(ValueId value) {
    if (value == kNoId) {
      static const Fact unknown;
      return unknown;
    }
    Slot& slot = slots_[value];
    if (slot.generation != constraints().solution_generation()) resolve_again(slot);
    return slot.resolved ? *slot.resolved : slot.fact;
  }
  /// Whether the value is a formal input that the current call leaves out.
  [[nodiscard]] bool is_missing(ValueId value) const { return slots_[value].missing; }
  /// The contents with symbols for unknown elements (see InferContext::elements).
  [[nodiscard]] const std::shared_ptr<const Elements>& contents(ValueId value);
  /// The elements of a constant tensor; null past kMaxElements, or kMaxFloats for floats.
  [[nodiscard]] std::shared_ptr<const Elements> tensor_elements(TensorId tensor);
  static constexpr int64_t kMaxFloats = 256;

  [[nodiscard]] Dim fresh(NodeId node, size_t output, std::string_view role, Interval range,
                          uint32_t deeper = 0);
  /// The attribute of a node; a reference is replaced by what the current call binds.
  [[nodiscard]] const Attribute* attribute(const Node& node, std::string_view name) const;

  /// As InferContext::infer_body. `runs`: the body is known to run.
  [[nodiscard]] std::vector<Fact> infer_body(ScopeId body, std::span<const Fact> inputs,
                                             bool repeats, bool runs = false,
                                             Requirements* requirements = nullptr);
  /// One iteration of a body that is known to run: its symbols are its own.
  [[nodiscard]] std::vector<Fact> infer_iteration(ScopeId body, std::span<const Fact> inputs,
                                                  int64_t iteration);
  /// Whether the iterations of loops may still be followed one by one.
  [[nodiscard]] bool may_unroll() const {
    return !stopped_ && unrolled_visits_ < options_.max_unrolled_visits;
  }
  /// The branch that the caller wants to be taken, for an If that does not decide it.
  [[nodiscard]] std::optional<bool> wanted_branch(NodeId node);
  /// Infers a call of a function; false if it cannot be (recursion, budget).
  bool infer_call(InferContext& context, ScopeId function);

  struct Written {
    ValueId value = kNoId;
    std::optional<Fact> before;
  };
  [[nodiscard]] InferContext::Mark mark() const;
  void roll_back(const InferContext::Mark& mark);
  void note_broadcast(Dim a, Dim b);
  [[nodiscard]] std::vector<Fact>& last_fixed_point(NodeId node) { return fixed_points_[node]; }

  void add_finding(Finding finding) { findings_.add(std::move(finding)); }

 private:
  struct Slot {
    Fact fact;                       // as it was set
    std::unique_ptr<Fact> resolved;  // with solved symbols replaced, where that differs
    uint64_t generation = kStale;    // of the solutions when `resolved` was made
    TensorId constant = kNoId;       // the initializer whose contents were not asked for yet
    uint32_t call = 0;               // the call in which it was set
    bool missing = false;            // a formal input that the call leaves out
    bool final = false;              // set once and outside of repeats and calls: what is written
    static constexpr uint64_t kStale = UINT64_MAX;
  };

  /// One call of a function: what its attribute references stand for.
  struct Call {
    ScopeId function = kNoId;
    std::vector<std::pair<std::string_view, const Attribute*>> attributes;
    uint32_t id = 0;
    bool operator==(const Call& other) const {
      return function == other.function && attributes == other.attributes;
    }
  };

  /// A call that made no symbols and found nothing: the same inputs give the same outputs.
  struct KnownCall {
    Call call;
    std::vector<Fact> inputs;
    std::vector<Fact> outputs;
    bool repeated = false;
    uint32_t region = 0;
  };

  friend class Probe;

  void grow();
  void bind_main_inputs();
  [[nodiscard]] Fact given_fact(const GivenInput& given);
  [[nodiscard]] Fact given_tensor(const GivenInput& given);
  void observe(ValueId value, const Fact& fact);
  void name_input_dims(ValueId value, Fact& fact);
  void infer_scope(ScopeId scope);
  void set_initializers(const Scope& scope);
  /// Whether the value's initializer is what an input has where the caller gives nothing.
  [[nodiscard]] bool is_only_default(ValueId value) const;
  void infer_node(InferContext& context, NodeId node);
  [[nodiscard]] bool fits_arity(const InferContext& context);
  void dispatch(InferContext& context);
  void finish_outputs(InferContext& context, uint64_t overflows_before);
  void note_sizes(const Fact& fact, NodeId node);
  void note_awaited(const InferContext& context, size_t symbols_before);
  [[nodiscard]] bool depends_on_data(Dim dim) const;
  void complete(Fact& fact, NodeId node, size_t output, std::string_view prefix);
  void adopt_declared(ValueId value, Fact& fact);
  /// What the run is known to have computed of the value; null if that is not known.
  [[nodiscard]] const GivenInput* computed(ValueId value) const;
  void adopt_computed(const GivenInput& computed, NodeId node, Fact& fact);
  [[nodiscard]] std::shared_ptr<const Elements> read_elements(TensorId tensor);
  [[nodiscard]] std::shared_ptr<const Elements> single_element(int64_t number);
  void store(ValueId value, Fact&& fact);
  /// Loads the contents of an initializer.
  void load_contents(Slot& slot);
  void bind_body_inputs(ScopeId body, std::span<const Fact> inputs);
  [[nodiscard]] std::vector<Fact> output_facts(ScopeId scope);
  [[nodiscard]] std::vector<UpperBound> bounds_of_sizes(ScopeId body, size_t first) const;
  void keep_bounds(const std::vector<UpperBound>& bounds);
  [[nodiscard]] const KnownCall* find_call(const Call& call, const std::vector<Fact>& inputs) const;
  /// Whether the fact has no solved symbol.
  [[nodiscard]] bool is_resolved(const Fact& fact) const;
  /// Replaces solved symbols.
  void resolve(Fact& fact) const;
  void resolve_again(Slot& slot) const;
  void finish_facts();
  /// Makes unknown what depends on symbols that were made inside more than `depth` repeated bodies.
  void hide_varying(Fact& fact, uint32_t depth) const;
  [[nodiscard]] bool out_of_budget(NodeId node);
  [[nodiscard]] Call bind_call(const Node& node, ScopeId function);
  void note_new_symbols();

  Model& model_;
  Operators operators_;
  Fallback* fallback_;
  const InferOptions& options_;
  Findings& findings_;
  Inference& result_;
  Prover prover_;
  std::vector<Slot> slots_;       // by ValueId
  std::vector<Written> written_;  // undo log of result_.facts inside repeated bodies
  std::vector<Call> calls_;       // innermost last
  uint32_t next_call_ = 1;
  /// Which iteration of the outermost loop that is followed: of the body, and of none in a body
  /// that repeats or in a function.
  std::optional<std::pair<ScopeId, size_t>> iteration_;
  uint32_t repeated_ = 0;        // depth of bodies that run more than once
  uint32_t region_ = 0;          // as in Observation
  bool stopped_ = false;         // the budget or deadline ended
  std::optional<Finding> stop_;  // says so; kept apart, since passes of a loop take findings back
  uint64_t unrolled_visits_ = 0;
  std::map<std::tuple<uint32_t, NodeId, size_t, std::string>, Dim> fresh_;
  std::map<std::tuple<uint32_t, ValueId, size_t>, Dim> value_symbols_;
  /// By TensorId: the elements of what was read so far, null where they are not known.
  std::vector<std::optional<std::shared_ptr<const Elements>>> tensors_;
  /// By number: the elements of the tensors that hold it alone.
  std::unordered_map<int64_t, std::shared_ptr<const Elements>> singles_;
  std::unordered_map<ScopeId, std::vector<KnownCall>> known_calls_;
  std::unordered_map<NodeId, std::vector<Fact>> fixed_points_;
  std::set<std::pair<const Expr*, const Expr*>> broadcasts_;  // noted
  std::unordered_map<std::string, size_t> unknown_ops_;  // reported: the mark before the finding
};

}  // namespace onnx_shapes
