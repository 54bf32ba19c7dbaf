// Why a dim reads as it does: the way back from it to inputs, constants, data and annotations.
#pragma once

#include <map>
#include <vector>

#include "anchors/bounds.h"
#include "infer/probe.h"

namespace onnx_shapes {

/// Something said of a number where it stands, or of the name that it has.
struct Reason {
  enum class Kind : uint8_t {
    kReads,        // it has its name by `equalities`
    kMade,         // `dim`, a symbol, was made here: the contents of `data` decide it
    kNameless,     // it may differ from one iteration or call of `body` to the next; if that is
                   // kNoId, nothing is known of it for another reason
    kUnnamed,      // the input has no name for it; `dim` was made for it
    kDeclared,     // the annotation of `role` has another text for it
    kStandsIn,     // what was declared stands in for what inference does not know
    kUnknownRank,  // the rank is not known: the contents of `data` decide it
  } kind = Kind::kReads;
  Dim dim = {};
  std::vector<uint32_t> equalities = {};  // indices into ConstraintSet::equalities()
  std::vector<ValueId> data = {};         // values whose contents decide
  std::vector<ValueId> inputs = {};       // inputs of the main graph that those are computed from
  ScopeId body = kNoId;
  uint32_t annotation = kNoId;
};

/// One number on the way. Steps come in the order of reading: the number that was asked for, then
/// what it comes from, each once.
struct Step {
  enum class Kind : uint8_t {
    kInput,      // of the main graph, or of a function
    kConstant,   // an initializer
    kBodyInput,  // what the operator that runs the body hands in: `sources`
    kNode,       // `nodes` has the one that computes it from `sources`
    kUnchanged,  // it comes through `nodes`, the last one first, from the one of `sources`
  } kind = Kind::kNode;
  Part part = {};
  bool whole = false;  // it is the value as such, whose rank is not known
  Dim dim = {};        // in the author's words; unknown: it has no name
  std::vector<NodeId> nodes = {};
  std::vector<Part> sources = {};
  std::vector<Reason> reasons = {};
  DimBounds bounds = {};  // where the number is not exact
};

/// Explains parts of one inference after its anchors are merged.
class Explainer {
 public:
  Explainer(const Model& model, const Inference& inference, Probe& probe);

  /// At most `max_steps` steps; `cut` says whether there were more.
  struct Explanation {
    std::vector<Step> steps;
    bool cut = false;
  };
  [[nodiscard]] Explanation explain(Part part, size_t max_steps);
  /// The same for a value of unknown rank.
  [[nodiscard]] Explanation explain_rank(ValueId value);

  /// The part's number in the author's words.
  [[nodiscard]] Dim named(Part part);

 private:
  [[nodiscard]] Dim known(Part part) const;
  [[nodiscard]] Step step(Part part);
  [[nodiscard]] bool is_plain(Part part) const;
  [[nodiscard]] bool is_part_of(NodeId inner, NodeId outer) const;
  void follow(Step& step);
  void link_body_input(Step& step) const;
  void add_nameless(Step& step) const;
  void add_made(Step& step);
  void add_declared(Step& step);
  void add_reading(Step& step, const std::vector<Dim>& before, Dim after) const;

  const Model& model_;
  const Inference& inference_;
  Probe& probe_;
  Namer namer_;
  Bounds bounds_;
  std::map<SymbolId, Solution> solutions_;
  std::map<std::pair<ValueId, int32_t>, SymbolId> contents_;  // symbols of elements
};

}  // namespace onnx_shapes
