// Judges by cases what depends on which branch of an If runs.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "check/check.h"
#include "model/annotate.h"

namespace onnx_shapes {
namespace {

constexpr size_t kMaxIfs = 8;
constexpr uint64_t kMaxVisits = 200'000;  // of nodes, by all cases together

/// What comes of one branch.
struct Case {
  std::map<uint32_t, const Judgement*> judgements;  // by annotation; none for what is not computed
  CheckResult result;
  Findings findings;
};

class Branches {
 public:
  Branches(const Model& model, const CheckOptions& options, const InferBranches& infer_again,
           Findings& findings)
      : model_(model), options_(options), infer_again_(infer_again), findings_(findings) {}

  /// The number of nodes visited.
  uint64_t decide(NodeId node, CheckResult& result);

 private:
  uint64_t run(NodeId node, bool branch, Case& run);
  void decide(NodeId node, const std::array<Case, 2>& cases, Judgement& judgement);
  void report(NodeId node, uint32_t annotation, const Findings& findings);

  const Model& model_;
  const CheckOptions& options_;
  const InferBranches& infer_again_;
  Findings& findings_;
};

uint64_t Branches::run(NodeId node, bool branch, Case& run) {
  const Inference inference = infer_again_({{node, branch}}, run.findings);
  run.result = check_annotations(model_, inference, options_, run.findings);
  for (const Judgement& judgement : run.result.judgements) {
    run.judgements.emplace(judgement.annotation, &judgement);
  }
  return inference.node_visits;
}

/// A refutation is the same fault as in the case that finds it.
void Branches::report(NodeId node, uint32_t annotation, const Findings& findings) {
  const Annotation& refuted = model_.annotations()[annotation];
  const Place place = model_.place_of_value(refuted.value);
  for (const Finding& finding : findings.all()) {
    const bool contradicts = finding.code == Code::kRankContradiction ||
                             finding.code == Code::kTypeContradiction ||
                             finding.code == Code::kDimContradiction;
    if (!contradicts || finding.place.graph != place.graph || finding.place.value != place.value ||
        finding.place.role != role_name(refuted.role)) {
      continue;
    }
    Finding kept = finding;
    kept.message +=
        fmt::format(", and it is not as declared with the other branch of {} '{}' either",
                    model_.node(node).op_type, model_.node_label(node));
    findings_.add(std::move(kept));
  }
}

void Branches::decide(NodeId node, const std::array<Case, 2>& cases, Judgement& judgement) {
  size_t proved = 0;
  size_t refuted = 0;
  const Judgement* first = nullptr;
  for (const Case& branch : cases) {
    const auto found = branch.judgements.find(judgement.annotation);
    if (found == branch.judgements.end()) {
      ++proved;  // what is not computed asserts nothing
      continue;
    }
    if (first == nullptr) first = found->second;
    if (found->second->verdict == Verdict::kProved) ++proved;
    if (found->second->verdict == Verdict::kRefuted) ++refuted;
  }
  if (first == nullptr) return;
  if (proved == cases.size()) {
    judgement.verdict = Verdict::kProved;
    judgement.reason.clear();
  }
  if (refuted == cases.size()) {
    judgement = *first;
    report(node, judgement.annotation, cases.front().findings);
  }
}

uint64_t Branches::decide(NodeId node, CheckResult& result) {
  std::array<Case, 2> cases;
  const uint64_t visits = run(node, true, cases[0]) + run(node, false, cases[1]);
  for (Judgement& judgement : result.judgements) {
    if (judgement.verdict == Verdict::kUndetermined) decide(node, cases, judgement);
  }
  return visits;
}

}  // namespace

void check_branches(const Model& model, const Inference& inference, const CheckOptions& options,
                    const InferBranches& infer_again, CheckResult& result, Findings& findings) {
  Branches branches(model, options, infer_again, findings);
  uint64_t visits = 0;
  for (size_t i = 0; i < std::min(kMaxIfs, inference.undecided_ifs.size()); ++i) {
    if (result.count(Verdict::kUndetermined) == 0 || visits > kMaxVisits) return;
    visits += branches.decide(inference.undecided_ifs[i], result);
  }
}

}  // namespace onnx_shapes
