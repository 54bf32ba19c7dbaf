// Takes turns in inferring and running.
#include "check/execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "check/inputs.h"
#include "check/waiting.h"

namespace onnx_shapes {
namespace {

/// Integers of a byte or more, which a tensor of a slice can hold as they are.
std::optional<KnownContents> known_contents(const Fact& fact) {
  auto integers = known_integers(fact);
  auto dims = known_dims(fact);
  if (!integers || !dims || element_bits(fact.elem) < 8) return std::nullopt;
  return KnownContents{
      .elem = fact.elem, .dims = std::move(*dims), .integers = std::move(*integers)};
}

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

/// How many dims are read of a value in all iterations of its loop.
constexpr size_t kMaxIterationDims = 1'000'000;

class Execution {
 public:
  Execution(const Model& model, Runner& runner, const RunInputs& inputs, const Deadline& deadline,
            Executed& executed)
      : model_(model),
        runner_(runner),
        inputs_(inputs),
        limits_{.contents = {.integers = static_cast<size_t>(kMaxGivenElements),
                             .numbers = static_cast<size_t>(kMaxGivenFloats)},
                .deadline = deadline},
        executed_(executed) {}

  /// Runs what computes the values, and says whether any of them is known now.
  bool run(const Inference& inference, const Wanted& wanted);

  [[nodiscard]] const Computed& computed() const { return computed_; }
  [[nodiscard]] const std::set<ValueId>& done() const { return done_; }
  [[nodiscard]] const Findings& failures() const { return failures_; }

 private:
  void run_slice(const Inference& inference, const std::vector<ValueId>& values);
  void run_loop(const Inference& inference, NodeId loop, const std::vector<ValueId>& values);
  [[nodiscard]] SliceOptions options(const Inference& inference) const;
  [[nodiscard]] Result<std::vector<StoredValue>, std::string> results(
      const Result<ModelSlice, std::string>& slice, size_t max_integers);
  void report(ValueId value, const std::string& why);

  const Model& model_;
  Runner& runner_;
  const RunInputs& inputs_;
  RunLimits limits_;
  Executed& executed_;
  Computed computed_;
  std::set<ValueId> done_;  // computed, or cannot be
  Findings failures_;
};

SliceOptions Execution::options(const Inference& inference) const {
  return {.given = inputs_.given, .known = [&inference](ValueId value) {
            const std::optional<Fact>& fact = inference.facts[value];
            return fact ? known_contents(*fact) : std::nullopt;
          }};
}

Result<std::vector<StoredValue>, std::string> Execution::results(
    const Result<ModelSlice, std::string>& slice, size_t max_integers) {
  if (!slice) return Failure{slice.reason()};
  const Expected<std::vector<RunInput>> inputs = inputs_.read(slice->inputs);
  if (!inputs) return Failure{inputs.reason().message};
  RunLimits limits = limits_;
  limits.contents.integers = max_integers;
  auto results = runner_.run(*slice, *inputs, limits);
  if (!results) {
    return Failure{fmt::format("ONNX Runtime does not run the {} node{} of which it is made: {}",
                               slice->nodes, slice->nodes == 1 ? "" : "s", results.reason())};
  }
  ++executed_.slices;
  executed_.nodes += slice->nodes;
  executed_.values += results->size();
  return results;
}

void Execution::report(ValueId value, const std::string& why) {
  Place place = model_.place_of_value(value);
  const NodeId producer = model_.value(value).producer;
  if (producer != kNoId) place.node_text = model_.place_of_node(producer).node_text;
  failures_.add(make_finding(
      Code::kSliceNotRun, std::move(place),
      fmt::format("'{}' decides a verdict but is not known: {}", model_.value(value).name, why),
      "what waits for it stays undetermined"));
}

/// What fails together is tried one by one: some of it may run.
void Execution::run_slice(const Inference& inference, const std::vector<ValueId>& values) {
  const Result<std::vector<StoredValue>, std::string> found =
      results(cut_slice(model_, values, options(inference)), limits_.contents.integers);
  if (!found && values.size() > 1) {
    for (const ValueId value : values) run_slice(inference, {value});
    return;
  }
  done_.insert(values.begin(), values.end());
  if (!found) {
    report(values.front(), found.reason());
    return;
  }
  for (size_t i = 0; i < values.size() && i < found->size(); ++i) {
    computed_.values.emplace(values[i], given_value((*found)[i]));
  }
}

/// The dims of each iteration as values without contents.
std::vector<GivenInput> iterations_of(const StoredValue& dims) {
  std::vector<GivenInput> iterations;
  if (dims.dims.size() != 2 || !dims.integers) return iterations;
  const auto rank = static_cast<std::ptrdiff_t>(dims.dims[1]);
  auto at = dims.integers->begin();
  for (int64_t i = 0; i < dims.dims[0]; ++i, at += rank) {
    iterations.emplace_back().shape.assign(at, at + rank);
  }
  return iterations;
}

void Execution::run_loop(const Inference& inference, NodeId loop,
                         const std::vector<ValueId>& values) {
  done_.insert(values.begin(), values.end());
  const Result<ModelSlice, std::string> slice =
      cut_loop_slice(model_, loop, values, options(inference));
  const Result<std::vector<StoredValue>, std::string> found = results(slice, kMaxIterationDims);
  if (!found) {
    report(values.front(), found.reason());
    return;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    std::vector<GivenInput> iterations = iterations_of((*found)[i]);
    if (!iterations.empty()) computed_.iterations.emplace(values[i], std::move(iterations));
  }
  if (!slice->condition || !(*found)[*slice->condition].integers) return;
  // The iterations can be followed only where it is known when they end.
  const StoredValue& conditions = (*found)[*slice->condition];
  const Attribute* const body = model_.node(loop).attribute("body");
  const ValueId condition = model_.scope(body->graphs.front()).outputs.front();
  std::vector<GivenInput>& iterations = computed_.iterations[condition];
  iterations.clear();
  for (const int64_t goes_on : *conditions.integers) {
    GivenInput& one = iterations.emplace_back();
    one.elem = ElemType::kBool;
    one.shape.assign(conditions.dims.begin() + 1, conditions.dims.end());
    one.integers = {goes_on};
  }
}

bool Execution::run(const Inference& inference, const Wanted& wanted) {
  const auto count = [&] { return computed_.values.size() + computed_.iterations.size(); };
  const size_t known = count();
  // A slice has the values of one scope.
  std::map<ScopeId, std::vector<ValueId>> by_scope;
  for (const ValueId value : wanted.values) by_scope[model_.value(value).scope].push_back(value);
  for (const auto& [scope, values] : by_scope) run_slice(inference, values);
  for (const auto& [loop, values] : wanted.in_loops) run_loop(inference, loop, values);
  return count() > known;
}

}  // namespace

Judged judge_by_running(const Model& model, Runner& runner, const RunInputs& inputs,
                        const JudgeRun& judge, const Deadline& deadline, Executed& executed,
                        Findings& findings) {
  Execution execution(model, runner, inputs, deadline, executed);
  Judged judged = judge(execution.computed());
  while (judged.result.count(Verdict::kUndetermined) > 0) {
    if (deadline && std::chrono::steady_clock::now() > *deadline) break;
    const Wanted wanted = waited_for(model, judged.inference, judged.result, execution.done());
    if (wanted.values.empty() && wanted.in_loops.empty()) break;
    if (execution.run(judged.inference, wanted)) judged = judge(execution.computed());
  }
  for (const Finding& finding : execution.failures().all()) findings.add(finding);
  for (Judgement& judgement : judged.result.judgements) {
    if (judgement.verdict != Verdict::kUndetermined ||
        runs_once(model, judged.inference, model.annotations()[judgement.annotation].scope)) {
      continue;
    }
    judgement.reason += "; what bodies in bodies and functions compute is not run by itself";
  }
  return judged;
}

}  // namespace onnx_shapes
