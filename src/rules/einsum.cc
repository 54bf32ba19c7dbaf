// Einsum: the equation is parsed once, then its letters are bound to dims.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "rules/numeric_types.h"
#include "rules/rules.h"

namespace onnx_shapes {
namespace {

/// One term of an equation: the letters before and after the ellipsis.
struct Term {
  std::string before, after;
  bool ellipsis = false;

  [[nodiscard]] std::string letters() const { return before + after; }
};

struct Equation {
  std::vector<Term> operands;
  std::optional<Term> output;  // nothing: implicit
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::optional<Term> parse_term(std::string_view text) {
  Term term;
  while (!text.empty()) {
    if (is_letter(text.front())) {
      (term.ellipsis ? term.after : term.before) += text.front();
      text.remove_prefix(1);
    } else if (text.starts_with("...") && !term.ellipsis) {
      term.ellipsis = true;
      text.remove_prefix(3);
    } else {
      return std::nullopt;
    }
  }
  return term;
}

std::optional<Equation> parse_equation(std::string_view text) {
  std::string compact;
  std::copy_if(text.begin(), text.end(), std::back_inserter(compact),
               [](char c) { return c != ' '; });
  std::string_view operands = compact;
  Equation equation;
  if (const size_t arrow = operands.find("->"); arrow != std::string_view::npos) {
    equation.output = parse_term(operands.substr(arrow + 2));
    if (!equation.output) return std::nullopt;
    operands = operands.substr(0, arrow);
  }
  while (true) {
    const size_t comma = operands.find(',');
    const std::optional<Term> term = parse_term(operands.substr(0, comma));
    if (!term) return std::nullopt;
    equation.operands.push_back(*term);
    if (comma == std::string_view::npos) return equation;
    operands.remove_prefix(comma + 1);
  }
}

/// Without `->`: the ellipsis, then the letters that appear once, in ASCII order.
Term implicit_output(const Equation& equation) {
  std::map<char, int> counts;
  Term output;
  for (const Term& term : equation.operands) {
    output.ellipsis = output.ellipsis || term.ellipsis;
    for (const char letter : term.letters()) ++counts[letter];
  }
  for (const auto& [letter, count] : counts) {
    if (count == 1) output.after += letter;
  }
  return output;
}

/// What the operands say of the letters and of the ellipsis.
class Letters {
 public:
  explicit Letters(InferContext& ctx) : ctx_(ctx) {}

  /// Binds the dims of one operand; false if its rank does not fit (reported).
  bool bind(const Term& term, const Shape& shape) {
    const std::string letters = term.letters();
    if (term.ellipsis ? shape.size() < letters.size() : shape.size() != letters.size()) {
      ctx_.report(Code::kInputRank, "C3",
                  fmt::format("an operand of rank {} does not fit its {} letters", shape.size(),
                              letters.size()));
      return false;
    }
    std::map<char, Dim> own;
    for (size_t i = 0; i < letters.size(); ++i) {
      const size_t axis = i < term.before.size() ? i : shape.size() - letters.size() + i;
      bind_own(own, letters[i], shape[axis]);
    }
    for (const auto& [letter, dim] : own) {
      const auto found = dims_.find(letter);
      dims_[letter] = found == dims_.end() ? dim : ctx_.broadcast_dims(found->second, dim, "C5");
    }
    return !term.ellipsis || bind_ellipsis(Shape(shape.begin() + offset(term.before.size()),
                                                 shape.end() - offset(term.after.size())));
  }

  [[nodiscard]] bool has(char letter) const { return dims_.contains(letter); }
  [[nodiscard]] Dim dim(char letter) const { return dims_.at(letter); }
  [[nodiscard]] const std::optional<Shape>& ellipsis() const { return ellipsis_; }

 private:
  static ptrdiff_t offset(size_t n) { return static_cast<ptrdiff_t>(n); }

  /// Within one operand a repeated letter is a diagonal, which needs equal dims.
  void bind_own(std::map<char, Dim>& own, char letter, Dim dim) {
    const auto [found, inserted] = own.emplace(letter, dim);
    if (!inserted) {
      found->second = ctx_.require_equal(found->second, dim, "C4",
                                         "the dims of a letter that one operand repeats");
    }
  }

  bool bind_ellipsis(Shape dims) {
    if (!ellipsis_) {
      ellipsis_ = std::move(dims);
      return true;
    }
    if (ellipsis_->size() != dims.size()) {
      ctx_.report(Code::kInputRank, "C6",
                  fmt::format("`...` stands for {} dims in one operand and for {} in another",
                              ellipsis_->size(), dims.size()));
      return false;
    }
    ellipsis_ = ctx_.broadcast_shapes(*ellipsis_, dims, "C6");
    return true;
  }

  InferContext& ctx_;
  std::map<char, Dim> dims_;
  std::optional<Shape> ellipsis_;
};

// Einsum-12. Each letter names a dim; the output has the dims of its letters.
//   C1  the equation is terms of letters with at most one `...`, separated by commas, and
//       optionally `->` and the output's term; spaces do not count
//   C2  there is one term for each operand
//   C3  an operand has as many dims as its term has letters, and any more for `...`
//   C4  where a term repeats a letter, these dims are equal
//   C5  the dims of a letter in several operands broadcast
//   C6  `...` stands for the same number of dims everywhere, and these broadcast
//   C7  the output has no letter twice and none that the operands lack
//   T1  the operands are of one numeric type
Outcome einsum(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  ctx.require_elem(0, kNumericTypes, "T1");
  for (size_t i = 1; i < ctx.input_count(); ++i) ctx.require_same_elem(0, i, "T1");
  const std::string_view text = ctx.attr_string("equation", "");
  const std::optional<Equation> equation = parse_equation(text);
  if (!equation) {
    return ctx.fail(Code::kAttribute, "C1", fmt::format("`{}` is not an equation", text));
  }
  if (equation->operands.size() != ctx.input_count()) {
    return ctx.fail(Code::kAttribute, "C2",
                    fmt::format("the equation has {} terms, the node {} inputs",
                                equation->operands.size(), ctx.input_count()));
  }
  Letters letters(ctx);
  bool ellipsis_known = true;
  for (size_t i = 0; i < ctx.input_count(); ++i) {
    Term term = equation->operands[i];
    const Shape* shape = ctx.shape(i);
    if (shape == nullptr && term.ellipsis) {
      ellipsis_known = false;
      term.ellipsis = false;
    }
    if (!letters.bind(term, shape != nullptr ? *shape : Shape(term.letters().size()))) {
      return Outcome::kFailed;
    }
  }
  const Term output = equation->output ? *equation->output : implicit_output(*equation);
  Shape out;
  std::string seen;
  const auto append = [&](const std::string& part) {
    for (const char letter : part) {
      if (seen.find(letter) != std::string::npos || !letters.has(letter)) return false;
      seen += letter;
      out.push_back(letters.dim(letter));
    }
    return true;
  };
  bool fits = append(output.before);
  if (output.ellipsis && letters.ellipsis()) {
    out.insert(out.end(), letters.ellipsis()->begin(), letters.ellipsis()->end());
  }
  fits = fits && append(output.after);
  if (!fits) {
    return ctx.fail(Code::kAttribute, "C7",
                    fmt::format("the output of `{}` repeats a letter or has one of its own", text),
                    "each letter of the output must be one of the operands', once");
  }
  if (output.ellipsis && !ellipsis_known) return Outcome::kDone;
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

constexpr auto kRules = std::to_array<OpRule>({{"Einsum", 12, einsum}});

}  // namespace

std::span<const Family> einsum_family() {
  static constexpr std::array kFamilies = {Family{"", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
