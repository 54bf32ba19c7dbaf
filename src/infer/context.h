// What an operator rule may see and say.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "facts/prover.h"
#include "infer/fact.h"

namespace onnx_shapes {

class Engine;
struct Operator;

/// What a rule returns. A rule that found the node wrong has said so with fail(); its outputs then
/// keep what was set before (the type at least, where that is sure).
enum class [[nodiscard]] Outcome : uint8_t{kDone, kFailed};

/// What a body needs to hold wherever it runs.
struct Requirements {
  std::vector<Equality> equalities;
  std::vector<UpperBound> bounds;
};

/// One serves all nodes of a walk, one after the other.
class InferContext {
 public:
  explicit InferContext(Engine& engine) : engine_(engine) {}

  // ---- the node ---------------------------------------------------------------------------------
  [[nodiscard]] const Node& node() const { return *node_; }
  [[nodiscard]] int64_t opset() const;  // of the node's domain
  [[nodiscard]] size_t input_count() const { return node_->inputs.size(); }
  [[nodiscard]] size_t output_count() const { return node_->outputs.size(); }
  [[nodiscard]] bool has_input(size_t i) const;
  [[nodiscard]] bool has_output(size_t i) const;

  /// The fact of input i; the unknown fact if it is left out or i is past the end.
  [[nodiscard]] const Fact& input(size_t i) const;
  /// The same with its contents loaded, to be handed on to a body. Unlike the questions below, it
  /// is not noted that the outputs depend on them.
  [[nodiscard]] Fact input_with_contents(size_t i);
  /// Those contents alone; null if they are unknown.
  [[nodiscard]] const std::shared_ptr<const Elements>& input_contents(size_t i);
  /// From now on the rule reads this instead: an input in another layout, or another input's place.
  void read_as(size_t i, Fact fact);
  /// The shape of tensor input i; null if the rank is unknown or the input is missing.
  [[nodiscard]] const Shape* shape(size_t i) const;
  [[nodiscard]] std::optional<size_t> rank(size_t i) const;
  [[nodiscard]] ElemType elem(size_t i) const;

  /// The contents of tensor input i: integers, bools and short float tensors that are constant or
  /// computed from shapes, at most kMaxElements. Null if the contents or the shape are unknown.
  /// Unknown elements of integer tensors of at most kMaxValueSymbols elements come as symbols of
  /// range (-inf, inf), the same ones each time, so that what depends on one value stays related.
  [[nodiscard]] const Elements* elements(size_t i) { return shared_elements(i).get(); }
  /// The same, to be kept: what is asked next may replace the contents of the input.
  [[nodiscard]] const std::shared_ptr<const Elements>& shared_elements(size_t i);
  static constexpr size_t kMaxValueSymbols = 64;
  /// The contents as integer dims; unknown where an element is not an integer for sure.
  [[nodiscard]] std::optional<Shape> integers(size_t i);
  /// The contents if every element is an integer constant.
  [[nodiscard]] std::optional<std::vector<int64_t>> constant_integers(size_t i);
  /// The only element of a scalar or one-element tensor; unknown otherwise.
  [[nodiscard]] Dim scalar_integer(size_t i);
  /// The contents as doubles if every element is a constant (integers too).
  [[nodiscard]] std::optional<std::vector<double>> constant_numbers(size_t i);
  /// The strings of a constant string tensor.
  [[nodiscard]] std::optional<std::vector<std::string>> constant_strings(size_t i);

  // ---- attributes (references of a function body are already resolved) --------------------------
  [[nodiscard]] const Attribute* attribute(std::string_view name) const;
  [[nodiscard]] int64_t attr_int(std::string_view name, int64_t otherwise) const;
  [[nodiscard]] std::optional<int64_t> attr_int(std::string_view name) const;
  [[nodiscard]] std::optional<std::span<const int64_t>> attr_ints(std::string_view name) const;
  [[nodiscard]] std::optional<float> attr_float(std::string_view name) const;
  [[nodiscard]] std::optional<std::span<const float>> attr_floats(std::string_view name) const;
  [[nodiscard]] std::string_view attr_string(std::string_view name,
                                             std::string_view otherwise) const;
  [[nodiscard]] ScopeId attr_graph(std::string_view name) const;  // kNoId if there is none
  /// The elements of a tensor (an attribute's, say); null if unknown or more than kMaxElements.
  [[nodiscard]] std::shared_ptr<const Elements> tensor_elements(TensorId id) const;
  [[nodiscard]] const Tensor& tensor(TensorId id) const;

  // ---- dims -------------------------------------------------------------------------------------
  [[nodiscard]] Pool& pool() const;
  [[nodiscard]] Dim lit(int64_t number) const;
  [[nodiscard]] Shape lits(std::span<const int64_t> numbers) const;
  /// A new symbol for output `output`, named `<Op>_<output>_<role>`: NonZero_nz_nnz. The same call
  /// of the same node gives the same symbol.
  [[nodiscard]] Dim fresh(std::string_view role, size_t output = 0,
                          Interval range = Interval::at_least(0));
  /// The same for a number that differs from one run of a body of this node to the next.
  [[nodiscard]] Dim fresh_per_iteration(std::string_view role, Interval range);
  [[nodiscard]] Prover& prover() const;
  /// broadcast(a, b), decided where the prover can: equal, or one that cannot be 1 wins (and then
  /// the equality "the other is 1 or equal" is used where the other cannot be 1 either).
  /// A provable mismatch is a finding and gives an unknown dim.
  [[nodiscard]] Dim broadcast_dims(Dim a, Dim b, std::string_view label);
  /// Multidirectional broadcasting of shapes, aligned at the right.
  [[nodiscard]] Shape broadcast_shapes(Shape a, const Shape& b, std::string_view label);

  // ---- what must hold for the run to succeed ----------------------------------------------------
  /// Records a == b (label: the constraint's name, such as "C2" or "matmul-inner"; a literal) and
  /// returns the more telling of the two. Two dims that provably differ are a finding (SHP105).
  /// `what` names them for the reader: "the inner dims of A and B".
  Dim require_equal(Dim a, Dim b, std::string_view label, std::string_view what);
  /// Whether a run is possible, as far as is known, in which each pair of dims is equal and each of
  /// `positive` at least 1.
  [[nodiscard]] bool may_hold(std::span<const std::pair<Dim, Dim>> equal,
                              std::span<const Dim> positive);
  /// Records a <= b: what the operator guarantees or needs.
  void at_most(Dim a, Dim b, std::string_view label);
  /// Notes that what is left open depends on the contents of a value; those of inputs that the rule
  /// has asked for are noted by themselves.
  void awaits(ValueId value);

  // ---- findings ---------------------------------------------------------------------------------
  /// An error at this node. `label` is the constraint's label ("C1"), which the text shows.
  Outcome fail(Code code, std::string_view label, std::string message, std::string help = {});
  /// An error or warning (by the code's severity) after which the rule goes on.
  void report(Code code, std::string_view label, std::string message, std::string help = {});
  /// Checks input i's element type; false, and a finding SHP102, if it is known and not allowed.
  bool require_elem(size_t i, std::span<const ElemType> allowed, std::string_view label);
  /// Checks that two inputs have the same element type where both are known (SHP102).
  bool require_same_elem(size_t i, size_t j, std::string_view label);
  /// Checks input i's rank; false, and a finding SHP103, if it is known and outside [lo, hi].
  bool require_rank(size_t i, size_t lo, size_t hi, std::string_view label);
  bool require_rank(size_t i, size_t rank, std::string_view label) {
    return require_rank(i, rank, rank, label);
  }

  // ---- outputs ----------------------------------------------------------------------------------
  /// Sets output i (ignored if the node does not have it). Setting again replaces.
  void set(size_t i, Fact fact);
  void set_tensor(size_t i, ElemType elem, std::optional<Shape> shape = std::nullopt);
  /// Sets the contents of an output whose tensor fact has been set: ignored if the count does not
  /// fit its shape, is above kMaxElements, or if nothing is known of any.
  void set_elements(size_t i, Elements elements);
  void set_elements(size_t i, std::shared_ptr<const Elements> elements);
  void set_integers(size_t i, const Shape& integers);
  [[nodiscard]] const Fact& output(size_t i) const;

  // ---- bodies and functions ---------------------------------------------------------------------
  /// Infers a subgraph with facts for its formal inputs and returns the facts of its outputs.
  /// What the body requires to succeed is forgotten when it ends, since it may not run.
  /// (`requirements`, if given, gets it.)
  /// `repeats`: the body runs more than once in a run (Loop, Scan, SequenceMap): symbols that are
  /// made inside may differ from one time to the next, so dims and elements that depend on them
  /// come out unknown, and their names are not written into the body. `runs`: it is known to run.
  [[nodiscard]] std::vector<Fact> infer_body(ScopeId body, std::span<const Fact> inputs,
                                             bool repeats, bool runs = false,
                                             Requirements* requirements = nullptr);
  /// Whether the dims of each pair are provably equal in the runs in which the requirements hold.
  [[nodiscard]] std::vector<bool> equal_where(const Requirements& requirements,
                                              std::span<const std::pair<Dim, Dim>> pairs);
  /// For the passes of a fixed point: mark before a pass, roll back if its assumption did not hold.
  struct Mark {
    uint64_t constraints = 0;
    size_t findings = 0;
    size_t written = 0;
    size_t observations = 0;
  };
  [[nodiscard]] Mark mark() const;
  void roll_back(const Mark& mark);
  /// Where a fixed point of this node ended the last time (empty at first): the next one starts
  /// from facts as wide, so that nested fixed points need one pass each and not a product of
  /// passes.
  [[nodiscard]] std::vector<Fact>& last_fixed_point();
  [[nodiscard]] const Scope& scope(ScopeId id) const;
  /// Of an If whose condition is not decided: the branch to take all the same.
  [[nodiscard]] std::optional<bool> wanted_branch() const;
  /// The rank that the author declared for a formal input; nothing if none is declared.
  [[nodiscard]] std::optional<size_t> declared_rank(ValueId formal) const;

  [[nodiscard]] Engine& engine() const { return engine_; }

 private:
  friend class Engine;
  /// Turns to that node, of which nothing is said yet.
  void start(NodeId node);
  /// Whether an output of that shape may have so many elements as its contents.
  [[nodiscard]] bool takes_elements(size_t i, size_t count) const;
  [[nodiscard]] Dim more_telling(Dim a, Dim b) const;

  Engine& engine_;
  NodeId node_id_ = kNoId;
  const Node* node_ = nullptr;
  const Operator* operator_ = nullptr;
  std::vector<Fact> outputs_;
  std::vector<std::pair<size_t, Fact>> read_as_;
  std::vector<size_t> asked_;     // inputs whose contents were asked for, some more than once
  std::vector<ValueId> awaited_;  // others
  bool failed_ = false;
};

/// `axis` in [-rank, rank) as an index; nothing outside.
[[nodiscard]] std::optional<size_t> normalise_axis(int64_t axis, size_t rank);

}  // namespace onnx_shapes
