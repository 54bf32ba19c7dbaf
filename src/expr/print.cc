// The printer: dims as text that people like to read and that the parser reads back exactly.
#include <algorithm>
#include <deque>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "expr/pool_impl.h"
#include "expr/print_fold.h"
#include "expr/print_names.h"
#include "expr/text.h"
#include "support/int_math.h"

namespace onnx_shapes {
namespace {

/// How tightly a text binds: `*`, `//` and `%` share one level and group from the left.
enum class Binding : uint8_t { kSum, kProduct, kPrimary };

struct Piece {
  std::string text;
  Binding binding = Binding::kPrimary;
};

/// Ids of the atoms that only the printer knows, beyond those of any pool.
constexpr uint32_t kFirstShifted = uint32_t{1} << 31;
constexpr size_t kMaxShifted = 1000;

std::string in_parentheses(const std::string& text) { return "(" + text + ")"; }

/// The key by which texts are ordered: what matters to a reader is the first name.
std::string_view without_lead(std::string_view text) {
  const size_t start = text.find_first_not_of("('-");
  return start == std::string_view::npos ? text : text.substr(start);
}

bool text_before(std::string_view a, std::string_view b) {
  return std::pair(without_lead(a), a) < std::pair(without_lead(b), b);
}

/// A term of a sum on its way to the page: its sign and size, and its other factors.
struct PrintedTerm {
  int64_t coefficient = 0;
  size_t degree = 0;
  std::vector<Piece> factors;
  std::string key;
  bool is_part_of_divisor = false;
};

bool term_before(const PrintedTerm& a, const PrintedTerm& b) {
  if ((a.degree == 0) != (b.degree == 0)) return b.degree == 0;
  if (a.is_part_of_divisor != b.is_part_of_divisor) return b.is_part_of_divisor;
  if (a.degree != b.degree) return a.degree > b.degree;
  if (a.key != b.key) return text_before(a.key, b.key);
  return a.coefficient > b.coefficient;
}

std::string magnitude(int64_t number) {
  std::string text = std::to_string(number);
  if (text.front() == '-') text.erase(0, 1);
  return text;
}

/// The term without its sign. `may_start_bare`: no sign stands before it that would bind tighter
/// than its first `//`.
std::string product_text(const PrintedTerm& term, bool may_start_bare) {
  std::string text;
  const bool is_unit = term.coefficient == 1 || term.coefficient == -1;
  if (!is_unit || term.factors.empty()) text = magnitude(term.coefficient);
  for (const Piece& factor : term.factors) {
    const bool is_first = text.empty();
    if (!is_first) text += '*';
    const bool bare = factor.binding == Binding::kPrimary || (is_first && may_start_bare);
    text += bare ? factor.text : in_parentheses(factor.text);
  }
  return text;
}

Binding product_binding(const PrintedTerm& term) {
  if (term.coefficient < 0) return Binding::kProduct;
  if (term.factors.empty()) return Binding::kPrimary;
  if (term.coefficient != 1 || term.factors.size() > 1) return Binding::kProduct;
  return term.factors.front().binding;
}

/// A minus reads best behind something: the first positive term goes to the front.
void lead_with_positive(std::vector<PrintedTerm>& terms) {
  const auto positive = std::find_if(terms.begin(), terms.end(),
                                     [](const PrintedTerm& term) { return term.coefficient > 0; });
  if (positive != terms.end()) std::rotate(terms.begin(), positive, positive + 1);
}

Piece joined(const std::vector<PrintedTerm>& terms) {
  if (terms.empty()) return {"0", Binding::kPrimary};
  Piece sum;
  sum.binding = terms.size() > 1 ? Binding::kSum : product_binding(terms.front());
  for (const PrintedTerm& term : terms) {
    const bool is_first = &term == &terms.front();
    // The reader negates a literal only where the minus stands directly before it, which is the
    // only way to write the smallest number.
    const bool is_smallest = term.coefficient == INT64_MIN;
    const bool is_negative = term.coefficient < 0;
    if (is_first) {
      sum.text += is_negative ? "-" : "";
    } else if (is_smallest) {
      sum.text += " + -";
    } else {
      sum.text += is_negative ? " - " : " + ";
    }
    sum.text += product_text(term, !(is_first && is_negative));
  }
  return sum;
}

class Printer {
 public:
  explicit Printer(const Pool& pool) : pool_(pool) {}

  Piece sum(const Expr& expr) { return sum(expr, nullptr); }
  [[nodiscard]] bool is_too_long() const { return is_too_long_; }

 private:
  Piece sum(const Expr& expr, const Expr* divisor);
  Piece folded(std::vector<Summand> sum, const Expr* expr, const Expr* divisor);
  const Piece& atom(const Atom& atom);
  Piece make_atom(const Atom& atom);
  Piece division(const Atom& atom);
  Piece division(const Piece& numerator, const Expr& divisor);
  Piece call(const char* function, const Atom& atom);
  Piece call(const char* function, const std::vector<std::vector<Summand>>& operands);
  Piece remainder(const Summand& summand);
  Piece maximum(const Summand& summand);
  const Atom* shifted(const Atom& quotient, int64_t number);
  std::string denominator(const Expr& expr);
  PrintedTerm printed(const Summand& summand);
  const std::vector<Summand>& summands(const Expr& expr);
  void mark_divisor(const Expr& expr, const Expr& divisor, std::vector<Summand>& sum,
                    std::vector<PrintedTerm>& terms);

  const Pool& pool_;
  FoldContext context_{
      [this](const Atom& part) { return atom(part).text.size(); },
      [this](const Expr& expr) { return summands(expr); },
      [this](const Atom& quotient, int64_t number) { return shifted(quotient, number); },
  };
  /// What `FoldContext::shifted` made.
  struct Shifted {
    const Atom* quotient = nullptr;
    int64_t number = 0;
    std::vector<Summand> numerator;
    Atom atom;
  };
  std::deque<Shifted> shifted_;
  std::unordered_map<const Atom*, Piece> atoms_;
  std::unordered_map<const Expr*, std::vector<Summand>> summands_;
  bool is_too_long_ = false;
};

PrintedTerm Printer::printed(const Summand& summand) {
  PrintedTerm term;
  term.coefficient = summand.coefficient;
  term.degree = summand.degree();
  size_t length = 0;
  for (const Factor& factor : summand.factors) {
    const Piece& piece = atom(*factor.atom);
    length += (piece.text.size() + 3) * factor.exponent;
    if (factor.exponent > kMaxTextLength || length > kMaxTextLength) is_too_long_ = true;
    if (is_too_long_) return term;
    term.factors.insert(term.factors.end(), factor.exponent, piece);
  }
  if (summand.quotient != nullptr) term.factors.push_back(remainder(summand));
  if (summand.maximum != nullptr) term.factors.push_back(maximum(summand));
  std::sort(term.factors.begin(), term.factors.end(),
            [](const Piece& a, const Piece& b) { return text_before(a.text, b.text); });
  for (const Piece& factor : term.factors) {
    if (!term.key.empty()) term.key += '*';
    term.key += factor.text;
  }
  return term;
}

/// The terms in the order in which they print, so that what is built on them does not depend on
/// the order of creation.
const std::vector<Summand>& Printer::summands(const Expr& expr) {
  const auto known = summands_.find(&expr);
  if (known != summands_.end()) return known->second;
  std::vector<std::pair<PrintedTerm, Summand>> terms;
  for (const Term& term : expr.terms) {
    const std::span<const Factor> factors = term.monomial->factors;
    Summand summand{term.coefficient, {factors.begin(), factors.end()}};
    PrintedTerm text = printed(summand);
    terms.emplace_back(std::move(text), std::move(summand));
    if (is_too_long_) break;
  }
  std::sort(terms.begin(), terms.end(),
            [](const auto& a, const auto& b) { return term_before(a.first, b.first); });
  std::vector<Summand> sorted;
  for (auto& [text, summand] : terms) sorted.push_back(std::move(summand));
  return summands_.emplace(&expr, std::move(sorted)).first->second;
}

/// A rounded-up division reads `(x + n - 1)//n`: the divisor's terms go behind the others.
void Printer::mark_divisor(const Expr& expr, const Expr& divisor, std::vector<Summand>& sum,
                           std::vector<PrintedTerm>& terms) {
  const auto number_of = [this](const Expr& part) {
    const std::vector<Summand>& parts = summands(part);
    return parts.empty() || !parts.back().is_number() ? 0 : parts.back().coefficient;
  };
  if (number_of(divisor) == INT64_MIN || number_of(expr) != number_of(divisor) - 1) return;
  std::vector<size_t> places;
  for (const Summand& part : summands(divisor)) {
    if (part.is_number()) continue;
    const auto same = std::find_if(sum.begin(), sum.end(), [&](const Summand& summand) {
      return summand.coefficient == part.coefficient && summand.factors == part.factors &&
             summand.is_plain();
    });
    if (same == sum.end()) return;
    places.push_back(static_cast<size_t>(same - sum.begin()));
  }
  for (const size_t place : places) terms[place].is_part_of_divisor = true;
}

Piece Printer::sum(const Expr& expr, const Expr* divisor) {
  return folded(summands(expr), &expr, divisor);
}

/// `expr` and `divisor` are null, or what is divided and by what.
Piece Printer::folded(std::vector<Summand> sum, const Expr* expr, const Expr* divisor) {
  if (is_too_long_) return {};
  fold_maxima(sum, context_);
  fold_remainders(sum, context_);
  fold_shifts(sum, context_);
  std::vector<PrintedTerm> terms;
  for (const Summand& summand : sum) terms.push_back(printed(summand));
  if (is_too_long_) return {};
  if (divisor != nullptr) mark_divisor(*expr, *divisor, sum, terms);
  std::sort(terms.begin(), terms.end(), term_before);
  lead_with_positive(terms);
  Piece piece = joined(terms);
  if (piece.text.size() > kMaxTextLength) is_too_long_ = true;
  return piece;
}

const Piece& Printer::atom(const Atom& atom) {
  const auto known = atoms_.find(&atom);
  if (known != atoms_.end()) return known->second;
  Piece piece = make_atom(atom);
  return atoms_.emplace(&atom, std::move(piece)).first->second;
}

Piece Printer::make_atom(const Atom& atom) {
  if (is_too_long_) return {};
  switch (atom.kind) {
    case AtomKind::kSymbol: {
      const std::string& name = pool_.symbol_name(atom.symbol);
      return {is_identifier(name) ? name : quoted(name), Binding::kPrimary};
    }
    case AtomKind::kFloorDiv:
      if (atom.id >= kFirstShifted) {
        return division(folded(shifted_[atom.id - kFirstShifted].numerator, nullptr, nullptr),
                        *atom.operands[1]);
      }
      return division(atom);
    case AtomKind::kMax:
      return call("max", atom);
    case AtomKind::kMin:
      return call("min", atom);
    case AtomKind::kBroadcast:
      return call("broadcast", atom);
  }
  return {};
}

Piece Printer::division(const Atom& atom) {
  return division(sum(*atom.operands[0], atom.operands[1]), *atom.operands[1]);
}

Piece Printer::division(const Piece& numerator, const Expr& divisor) {
  if (is_too_long_) return {};
  std::string text =
      numerator.binding == Binding::kSum ? in_parentheses(numerator.text) : numerator.text;
  text += "//" + denominator(divisor);
  if (text.size() > kMaxTextLength) is_too_long_ = true;
  return {std::move(text), Binding::kProduct};
}

const Atom* Printer::shifted(const Atom& quotient, int64_t number) {
  const auto divisor = Dim(quotient.operands[1]).number();
  if (quotient.id >= kFirstShifted || !divisor) return nullptr;
  for (const Shifted& known : shifted_) {
    if (known.quotient == &quotient && known.number == number) return &known.atom;
  }
  const auto less = checked_mul(-number, *divisor);
  std::vector<Summand> numerator = summands(*quotient.operands[0]);
  if (!less || shifted_.size() == kMaxShifted || !subtract(numerator, {{*less, {}}})) {
    return nullptr;
  }
  Atom atom = quotient;
  atom.id = kFirstShifted + static_cast<uint32_t>(shifted_.size());
  shifted_.push_back({&quotient, number, std::move(numerator), atom});
  return &shifted_.back().atom;
}

std::string Printer::denominator(const Expr& expr) {
  const Piece piece = sum(expr);
  return piece.binding == Binding::kPrimary ? piece.text : in_parentheses(piece.text);
}

Piece Printer::remainder(const Summand& summand) {
  const Atom& quotient = *summand.quotient;
  if (summand.dividend != nullptr) {
    const int64_t modulus = Dim(quotient.operands[1]).number().value_or(1);
    const int64_t divisor = Dim(summand.dividend->operands[1]).number().value_or(1);
    return {atom(*summand.dividend).text + "%" + std::to_string(modulus / divisor),
            Binding::kProduct};
  }
  const Piece numerator = sum(*quotient.operands[0], nullptr);
  std::string text =
      numerator.binding == Binding::kSum ? in_parentheses(numerator.text) : numerator.text;
  return {text + "%" + denominator(*quotient.operands[1]), Binding::kProduct};
}

Piece Printer::maximum(const Summand& summand) {
  const std::vector<Summand> subtrahend = summands(*summand.subtrahend);
  std::vector<std::vector<Summand>> operands;
  for (const Expr* operand : summand.maximum->operands) {
    operands.push_back(summands(*operand));
    // Folding has made sure that it can be done.
    (void)subtract(operands.back(), subtrahend);
  }
  return call("max", operands);
}

Piece Printer::call(const char* function, const Atom& atom) {
  std::vector<std::vector<Summand>> operands;
  for (const Expr* operand : atom.operands) operands.push_back(summands(*operand));
  return call(function, operands);
}

Piece Printer::call(const char* function, const std::vector<std::vector<Summand>>& operands) {
  struct Operand {
    size_t degree;
    std::string text;
  };
  std::vector<Operand> sorted;
  for (const std::vector<Summand>& operand : operands) {
    size_t degree = 0;
    for (const Summand& summand : operand) degree = std::max(degree, summand.degree());
    sorted.push_back({degree, folded(operand, nullptr, nullptr).text});
    if (is_too_long_) return {};
  }
  // Numbers have degree 0 and come last.
  std::sort(sorted.begin(), sorted.end(), [](const Operand& a, const Operand& b) {
    return a.degree != b.degree ? a.degree > b.degree : text_before(a.text, b.text);
  });
  std::string text = function;
  const char* separator = "(";
  for (const Operand& operand : sorted) {
    text += separator + operand.text;
    separator = ", ";
    if (text.size() > kMaxTextLength) is_too_long_ = true;
  }
  return {text + ")", Binding::kPrimary};
}

}  // namespace

std::string to_text(Dim dim) {
  if (!dim.known()) return "?";
  Pool& pool = *dim.expr()->pool;
  if (const auto symbol = as_symbol(dim)) {
    const std::string& name = pool.symbol_name(*symbol);
    if (!name.empty()) return name;
  }
  Printer printer(pool);
  std::string text = printer.sum(*dim.expr()).text;
  if (printer.is_too_long()) return {};
  while (pool.impl().has_symbol_named(text)) text = in_parentheses(text);
  return text;
}

}  // namespace onnx_shapes
