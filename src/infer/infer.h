// Symbolic shape inference over a whole model.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "diag/finding.h"
#include "facts/constraints.h"
#include "facts/prover.h"
#include "infer/declare.h"
#include "infer/fact.h"
#include "infer/rule.h"
#include "model/model.h"

namespace onnx_shapes {

/// What is known of one value in one run: what the caller gives for an input of the main graph, or
/// what was computed of another value.
struct GivenInput {
  FactKind kind = FactKind::kTensor;  // kSparseTensor, kSequence, kOptional
  ElemType elem = ElemType::kUndefined;
  std::vector<int64_t> shape;
  /// The contents in row-major order, where they are read: integers and bools, other numbers, or
  /// strings.
  std::optional<std::vector<int64_t>> integers;
  std::optional<std::vector<double>> numbers;
  std::optional<std::vector<std::string>> strings;
  std::vector<GivenInput> elements;  // of a sequence; of an optional, one or none
};

struct InferOptions {
  DeclareOptions declare;
  bool use_value_info = true;  // false: existing value_info says nothing (--fresh)
  bool name_inputs = true;     // unnamed input dims get a symbol of their own
  size_t max_rank = 256;
  /// Function bodies are inferred once a call: a chain of functions that call each other can need
  /// exponentially many visits. Past this many node visits outputs are left unknown.
  uint64_t max_node_visits = 20'000'000;
  /// The inputs of one run; an input that is not here has its initializer, or else what is
  /// declared.
  std::optional<std::map<ValueId, GivenInput>> inputs;
  /// What else is known of the run: values that are computed once in it, outside of functions and
  /// bodies that repeat. It counts more than what inference finds of them.
  std::map<ValueId, GivenInput> computed;
  /// The same of values of the body of a Loop or Scan that itself is run once: one by one for its
  /// iterations.
  std::map<ValueId, std::vector<GivenInput>> iterations;
  /// The branches that Ifs take, where the condition does not decide it: true for then_branch.
  std::map<NodeId, bool> branches;
  /// Keep what is found of each annotated value (Inference::observations).
  bool observe = false;
  /// Node visits that loops whose iterations are decided one by one may take; past them, and with
  /// 0, a loop is inferred for all its iterations at once.
  uint64_t max_unrolled_visits = 0;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  std::function<void(uint64_t visits)> progress;  // called now and then; may be empty
};

/// What the schema fallback is to the engine: an answer for nodes that no rule knows.
class Fallback {
 public:
  virtual ~Fallback() = default;
  /// The scope of the operator's function body for this node, or kNoId.
  virtual ScopeId function_body(InferContext& context) = 0;
  /// Infers the node's outputs; false if the operator is unknown here too.
  virtual bool infer(InferContext& context) = 0;
};

/// What was found of an annotated value, each time that it is computed: in each call and, where
/// they were followed one by one, in each iteration.
struct Observation {
  ValueId value = kNoId;
  Fact fact;
  /// The innermost body around it of which it is not known whether it runs; 0 if there is none.
  uint32_t region = 0;
};

/// The result of inference. Dims live in `pool`, so they are valid as long as this object.
struct Inference {
  std::unique_ptr<Pool> pool;
  std::unique_ptr<SymbolTable> symbols;
  std::unique_ptr<ConstraintSet> constraints;
  std::unique_ptr<Declarations> declarations;
  /// By ValueId: what holds of the value each time it is computed in a run. A dim that may differ
  /// from one iteration or call to the next is unknown.
  std::vector<std::optional<Fact>> facts;
  /// By SymbolId: inside how many bodies that run repeatedly it was made. Above 0 its value may
  /// differ from one iteration to the next.
  std::vector<uint32_t> repeat_depth;
  /// Main graph input dims that had no name and were given a symbol.
  struct NamedInput {
    ValueId value = kNoId;
    uint32_t axis = 0;
    Dim symbol;
  };
  std::vector<NamedInput> named_inputs;
  /// In the order of computation, if InferOptions::observe.
  std::vector<Observation> observations;
  /// The region around each region of the observations; region 0 is its own.
  std::vector<uint32_t> region_parents = {0};
  /// Pairs of dims that are equal, or one of them 1, in every run, if InferOptions::observe.
  std::vector<std::pair<Dim, Dim>> broadcasts;
  /// By node that made a symbol, or an output of unknown rank: values whose contents would have
  /// told more. Empty where that is not known.
  std::unordered_map<NodeId, std::vector<ValueId>> awaited;
  /// Values of which the declaration had to stand in for what inference does not know.
  std::unordered_set<ValueId> adopted;
  /// Ifs that run at most once in a run and whose condition depends on data, in order.
  std::vector<NodeId> undecided_ifs;
  uint64_t node_visits = 0;
  uint64_t fallback_nodes = 0;  // nodes that only the schema fallback could infer
};

/// Infers the whole model. Faults of the model become findings; inference always completes.
/// `model` gains the scopes of schema function bodies that were inferred through.
[[nodiscard]] Inference infer(Model& model, const RuleTable& rules, Fallback* fallback,
                              const InferOptions& options, Findings& findings);

}  // namespace onnx_shapes
