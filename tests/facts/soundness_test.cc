// Laws on random facts: nothing that is answered is wrong, and forgetting is exact.
#include <cstdlib>
#include <string>
#include <vector>

#include "expr/text.h"
#include "facts/prover.h"
#include "tests/facts/random_facts.h"
#include "tests/support/catch.h"

namespace onnx_shapes {
namespace {

using testing::Fact;
using testing::Numbers;
using testing::RandomFacts;
using testing::value;

uint64_t from_environment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// ONNX_SHAPES_FACTS_SEED replays a failure with ONNX_SHAPES_FACTS_ROUNDS=1.
uint64_t first_seed() { return from_environment("ONNX_SHAPES_FACTS_SEED", 1); }
uint64_t rounds(uint64_t otherwise) {
  return from_environment("ONNX_SHAPES_FACTS_ROUNDS", otherwise);
}

struct Question {
  enum class Kind : uint8_t { kEqual, kAtMost, kLess, kDivisible } kind = Kind::kEqual;
  Dim a, b;
  int64_t by = 2;

  [[nodiscard]] Truth ask(Prover& prover) const {
    switch (kind) {
      case Kind::kEqual:
        return prover.equal(a, b);
      case Kind::kAtMost:
        return prover.at_most(a, b);
      case Kind::kLess:
        return prover.less(a, b);
      case Kind::kDivisible:
        return prover.divisible(a, by);
    }
    return Truth::kUnknown;
  }

  /// Nothing where the dims are undefined.
  [[nodiscard]] std::optional<bool> holds(const Numbers& numbers) const {
    const auto left = value(a, numbers);
    const auto right = value(b, numbers);
    if (!left || !right) return std::nullopt;
    switch (kind) {
      case Kind::kEqual:
        return *left == *right;
      case Kind::kAtMost:
        return *left <= *right;
      case Kind::kLess:
        return *left < *right;
      case Kind::kDivisible:
        return *left % by == 0;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::string text() const {
    if (kind == Kind::kDivisible) return std::to_string(by) + " | " + to_text(a);
    const char* op = kind == Kind::kEqual ? " == " : kind == Kind::kAtMost ? " <= " : " < ";
    return to_text(a) + op + to_text(b);
  }
};

struct Counts {
  uint64_t checks = 0;
  uint64_t decided = 0;
  uint64_t questions = 0;
};

/// One set of facts, all of which a binding satisfies.
class Round {
 public:
  explicit Round(uint64_t seed)
      : symbols_(pool_),
        constraints_(symbols_),
        prover_(pool_, &constraints_),
        random_(symbols_, seed) {}

  /// Empty if all is well, else what is wrong.
  std::string add_facts(int count) {
    const Numbers binding = random_.binding();
    for (int i = 0; i < count; ++i) {
      const std::optional<Fact> fact = random_.fact(binding);
      if (!fact || !fact->a.known() || !fact->b.known()) continue;
      facts_ += fact->text() + "; ";
      all_.push_back(*fact);
      if (fact->equality) {
        if (constraints_.add_equal(fact->a, fact->b, {})) return facts_ + "contradiction";
      } else {
        constraints_.add_at_most(fact->a, fact->b, {});
      }
    }
    for (const Numbers& numbers : random_.grid()) {
      bool all_hold = true;
      for (const Fact& fact : all_) all_hold = all_hold && fact.holds(numbers);
      if (all_hold) models_.push_back(numbers);
    }
    return "";
  }

  Question question() {
    const auto kind = static_cast<Question::Kind>(random_.pick(0, 3));
    Question asked{kind, random_.dim(2), random_.dim(2), random_.pick(2, 4)};
    // Questions about what the facts speak of get more answers.
    if (!all_.empty() && random_.pick(0, 1) == 0) {
      const Fact& fact =
          all_[static_cast<size_t>(random_.pick(0, static_cast<int64_t>(all_.size()) - 1))];
      asked.a = fact.a + random_.pick(-1, 1);
    }
    return asked;
  }

  std::string check(const Question& asked, Counts& counts) {
    ++counts.questions;
    const Truth answer = asked.ask(prover_);
    const Interval bounds = prover_.bounds(asked.a);
    const Dim resolved = constraints_.resolve(asked.a);
    if (answer != Truth::kUnknown) ++counts.decided;
    for (const Numbers& numbers : models_) {
      const auto number = value(asked.a, numbers);
      if (!number) continue;
      counts.checks += 2;
      if (!bounds.contains(*number)) return facts_ + "bounds of " + to_text(asked.a) + at(numbers);
      if (value(resolved, numbers) != number) {
        return facts_ + to_text(asked.a) + " resolved to " + to_text(resolved) + at(numbers);
      }
      const std::optional<bool> holds = asked.holds(numbers);
      if (answer == Truth::kUnknown || !holds) continue;
      ++counts.checks;
      if (*holds != (answer == Truth::kTrue)) {
        return facts_ + "answered " + (answer == Truth::kTrue ? "true: " : "false: ") +
               asked.text() + at(numbers);
      }
    }
    return "";
  }

  [[nodiscard]] ConstraintSet& constraints() { return constraints_; }
  [[nodiscard]] Prover& prover() { return prover_; }
  [[nodiscard]] Pool& pool() { return pool_; }
  [[nodiscard]] const std::vector<Numbers>& models() const { return models_; }
  [[nodiscard]] const std::string& facts() const { return facts_; }
  [[nodiscard]] RandomFacts& random() { return random_; }
  [[nodiscard]] const SymbolTable& symbols() const { return symbols_; }

 private:
  static std::string at(const Numbers& numbers) {
    std::string text = " at";
    for (const int64_t number : numbers) text += " " + std::to_string(number);
    return text;
  }

  Pool pool_;
  SymbolTable symbols_;
  ConstraintSet constraints_;
  Prover prover_;
  RandomFacts random_;
  std::vector<Fact> all_;
  std::vector<Numbers> models_;
  std::string facts_;
};

TEST_CASE("No answer is wrong for numbers that satisfy the facts") {
  Counts counts;
  const uint64_t last = first_seed() + rounds(300);
  for (uint64_t seed = first_seed(); seed < last; ++seed) {
    INFO("seed " << seed);
    Round round(seed);
    std::string wrong = round.add_facts(static_cast<int>(round.random().pick(0, 5)));
    for (int i = 0; i < 12 && wrong.empty(); ++i) wrong = round.check(round.question(), counts);
    if (!wrong.empty()) FAIL(wrong);
  }
  if (std::getenv("ONNX_SHAPES_FACTS_ROUNDS") != nullptr) {
    WARN(counts.checks << " checks of " << counts.questions << " questions, " << counts.decided
                       << " decided");
  }
  CHECK(counts.checks > 0);
}

TEST_CASE("After rolling back every answer is what it was") {
  const uint64_t last = first_seed() + rounds(300) / 10 + 1;
  for (uint64_t seed = first_seed(); seed < last; ++seed) {
    INFO("seed " << seed);
    Round round(seed);
    REQUIRE(round.add_facts(3).empty());
    ConstraintSet& constraints = round.constraints();
    std::vector<Question> questions;
    for (int i = 0; i < 6; ++i) questions.push_back(round.question());
    const auto state = [&](Prover& prover) {
      std::string text;
      for (const Question& question : questions) {
        text += std::to_string(static_cast<int>(question.ask(prover)));
        const Interval bounds = prover.bounds(question.a);
        text += "[" + std::to_string(bounds.lo) + "," + std::to_string(bounds.hi) + "]";
        text += to_text(constraints.resolve(question.a)) + "; ";
      }
      for (const Solution& solution : constraints.solutions()) {
        text += to_text(round.pool().symbol(solution.symbol)) + "=" + to_text(solution.value);
        for (const uint32_t index : solution.from) text += " " + std::to_string(index);
      }
      text += std::to_string(constraints.equalities().size()) + " ";
      text += std::to_string(constraints.upper_bounds().size());
      return text;
    };
    Prover fresh_before(round.pool(), &constraints);
    const std::string before = state(fresh_before);
    static_cast<void>(state(round.prover()));
    const uint64_t mark = constraints.mark();
    // Facts that another binding satisfies, so that they often contradict the others.
    const Numbers other = round.random().binding();
    std::vector<Fact> added;
    for (int i = 0; i < 4; ++i) {
      const std::optional<Fact> fact = round.random().fact(other);
      if (!fact || !fact->a.known() || !fact->b.known()) continue;
      if (fact->equality) {
        static_cast<void>(constraints.add_equal(fact->a, fact->b, {}));
      } else {
        constraints.add_at_most(fact->a, fact->b, {});
      }
      added.push_back(*fact);
    }
    static_cast<void>(state(round.prover()));
    const uint64_t generation = constraints.generation();
    constraints.roll_back(mark);
    CHECK((constraints.generation() > generation || constraints.mark() == mark));
    Prover fresh_after(round.pool(), &constraints);
    INFO(round.facts());
    REQUIRE(state(fresh_after) == before);
    REQUIRE(state(round.prover()) == before);
  }
}

TEST_CASE("Counterexamples satisfy the facts and break the claim") {
  uint64_t found = 0;
  const uint64_t last = first_seed() + rounds(300) / 10 + 1;
  for (uint64_t seed = first_seed(); seed < last; ++seed) {
    INFO("seed " << seed);
    Round round(seed);
    REQUIRE(round.add_facts(2).empty());
    const Question asked = round.question();
    const Claim claim{Claim::Kind::kEqual, asked.a, asked.b};
    const auto binding = find_counterexample(round.symbols(), round.constraints(), claim);
    INFO(round.facts() << to_text(asked.a) << " == " << to_text(asked.b));
    // The smallest of the grid, by the sum of the magnitudes, if there is one.
    std::optional<int64_t> smallest;
    for (const Numbers& numbers : round.models()) {
      const auto a = value(asked.a, numbers);
      const auto b = value(asked.b, numbers);
      if (!a || !b || *a == *b) continue;
      int64_t sum = 0;
      for (const int64_t number : numbers) sum += std::abs(number);
      if (!smallest || sum < *smallest) smallest = sum;
    }
    if (!binding) {
      CHECK_FALSE(smallest.has_value());
      continue;
    }
    ++found;
    Numbers numbers(round.pool().symbol_count());
    int64_t sum = 0;
    for (const auto& [symbol, number] : *binding) {
      numbers[symbol] = number;
      sum += std::abs(number);
    }
    const auto a = value(asked.a, numbers);
    const auto b = value(asked.b, numbers);
    REQUIRE(a.has_value());
    REQUIRE(b.has_value());
    CHECK(*a != *b);
    if (smallest) CHECK(sum <= *smallest);
    CHECK(round.prover().equal(asked.a, asked.b) != Truth::kTrue);
  }
  CHECK(found > 0);
}

}  // namespace
}  // namespace onnx_shapes
