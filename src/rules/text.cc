// Operators on strings.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "rules/contents.h"
#include "rules/rules.h"

namespace onnx_shapes {
namespace {

constexpr std::array kString{ElemType::kString};
constexpr std::array kTokens{ElemType::kString, ElemType::kInt32, ElemType::kInt64};

std::optional<Shape> shape_of(const InferContext& ctx, size_t i) {
  const Shape* shape = ctx.shape(i);
  return shape != nullptr ? std::optional(*shape) : std::nullopt;
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
}

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

/// How many of the strings are no stop words; nothing where that takes a locale, and for empty
/// strings, which the reference evaluator drops though the specification does not.
std::optional<int64_t> count_kept(const InferContext& ctx, const std::vector<std::string>& strings,
                                  const std::vector<std::string_view>& stopwords) {
  const bool exact = ctx.attr_int("is_case_sensitive", 0) != 0;
  const auto form = [&](std::string_view text) {
    return exact ? std::string(text) : lower(std::string(text));
  };
  std::set<std::string> dropped;
  for (const std::string_view word : stopwords) {
    if (!exact && !is_ascii(word)) return std::nullopt;
    dropped.insert(form(word));
  }
  int64_t kept = 0;
  for (const std::string& text : strings) {
    if (text.empty() || (!exact && !is_ascii(text))) return std::nullopt;
    if (!dropped.contains(form(text))) ++kept;
  }
  return kept;
}

/// How many parts the text has, of which at most `splits` are split off.
int64_t count_parts(std::string_view text, std::string_view delimiter, int64_t splits) {
  constexpr std::string_view kSpaces = " \t\n\v\f\r";
  int64_t parts = 0;
  if (!delimiter.empty()) {
    for (size_t at = 0; parts < splits; ++parts) {
      at = text.find(delimiter, at);
      if (at == std::string_view::npos) break;
      at += delimiter.size();
    }
    return parts + 1;
  }
  size_t at = text.find_first_not_of(kSpaces);
  while (at != std::string_view::npos) {
    if (++parts > splits) break;
    at = text.find_first_of(kSpaces, at);
    at = text.find_first_not_of(kSpaces, at);
  }
  return parts;
}

/// The largest number of parts of the strings; nothing where it takes to know which letters of
/// other scripts are spaces, and for strings without any part.
std::optional<int64_t> most_parts(const InferContext& ctx,
                                  const std::vector<std::string>& strings) {
  const std::string_view delimiter = ctx.attr_string("delimiter", "");
  const int64_t splits = ctx.attr_int("maxsplit", INT64_MAX);
  int64_t most = 0;
  for (const std::string& text : strings) {
    if (delimiter.empty() && !is_ascii(text)) return std::nullopt;
    most = std::max(most, count_parts(text, delimiter, splits < 0 ? INT64_MAX : splits));
  }
  return most > 0 ? std::optional(most) : std::nullopt;
}

/// StringNormalizer: [C] or [1, C] without the stop words, at least one element. Without stop words
/// nothing is removed (the reference evaluator drops empty strings; the specification does not).
///   C1  X has rank 1 or 2    C2  of rank 2, its first dim is 1    C3  X holds strings
Outcome string_normalizer(InferContext& ctx) {
  ctx.set_tensor(0, ElemType::kString);
  if (!ctx.require_elem(0, kString, "C3") || !ctx.require_rank(0, 1, 2, "C1")) {
    return Outcome::kFailed;
  }
  std::optional<Shape> out = shape_of(ctx, 0);
  if (!out) return Outcome::kDone;
  if (out->size() == 2) {
    out->front() = ctx.require_equal(ctx.lit(1), out->front(), "C2", "the first dim of X and 1");
  }
  const Attribute* stopwords = ctx.attribute("stopwords");
  const Dim before = out->back();
  const bool never_empty = before.known() && ctx.prover().provably_at_least(before, 1);
  if (stopwords == nullptr || stopwords->strings.empty()) {
    if (!never_empty) out->back() = max(before, 1);
  } else if (const auto strings = ctx.constant_strings(0);
             const auto kept = strings ? count_kept(ctx, *strings, stopwords->strings)
                                       : std::optional<int64_t>()) {
    out->back() = ctx.lit(std::max<int64_t>(*kept, 1));
  } else {
    out->back() = before.known() && ctx.prover().bounds(before).hi <= 1
                      ? ctx.lit(1)
                      : ctx.fresh("count", 0, Interval::at_least(1));
    ctx.at_most(out->back(), never_empty ? before : max(before, 1), "bound");
  }
  ctx.set_tensor(0, ElemType::kString, std::move(out));
  return Outcome::kDone;
}

/// StringConcat: the shape that X's and Y's broadcast to.
///   C1  X and Y hold strings    C2  their shapes broadcast
Outcome string_concat(InferContext& ctx) {
  ctx.set_tensor(0, ElemType::kString);
  if (!ctx.require_elem(0, kString, "C1") || !ctx.require_elem(1, kString, "C1")) {
    return Outcome::kFailed;
  }
  const std::optional<Shape> x = shape_of(ctx, 0);
  const std::optional<Shape> y = shape_of(ctx, 1);
  if (x && y) ctx.set_tensor(0, ElemType::kString, ctx.broadcast_shapes(*x, *y, "C2"));
  return Outcome::kDone;
}

/// StringSplit: Y has the dims of X and one more, the largest number of parts; Z has the dims of X.
///   C1  X holds strings
Outcome string_split(InferContext& ctx) {
  ctx.set_tensor(0, ElemType::kString);
  ctx.set_tensor(1, ElemType::kInt64, shape_of(ctx, 0));
  if (!ctx.require_elem(0, kString, "C1")) return Outcome::kFailed;
  std::optional<Shape> out = shape_of(ctx, 0);
  if (!out) return Outcome::kDone;
  const std::optional<std::vector<std::string>> strings = ctx.constant_strings(0);
  if (const auto known = strings ? most_parts(ctx, *strings) : std::optional<int64_t>()) {
    out->push_back(ctx.lit(*known));
    ctx.set_tensor(0, ElemType::kString, std::move(out));
    return Outcome::kDone;
  }
  const Dim parts = ctx.fresh("parts");
  if (const auto splits = ctx.attr_int("maxsplit"); splits && *splits >= 0) {
    ctx.at_most(parts, ctx.lit(*splits) + 1, "bound");
  }
  out->push_back(parts);
  ctx.set_tensor(0, ElemType::kString, std::move(out));
  return Outcome::kDone;
}

/// RegexFullMatch: a bool for each string.
///   C1  X holds strings
Outcome regex_full_match(InferContext& ctx) {
  ctx.set_tensor(0, ElemType::kBool, shape_of(ctx, 0));
  return ctx.require_elem(0, kString, "C1") ? Outcome::kDone : Outcome::kFailed;
}

/// TfIdfVectorizer: a count for each n-gram: the last axis of X becomes max(ngram_indexes) + 1.
///   C1  X has rank 1 or 2    C2  ngram_indexes is given and not empty, without negative numbers
///   C3  X holds strings or integers
Outcome tf_idf_vectorizer(InferContext& ctx) {
  ctx.set_tensor(0, ElemType::kFloat);
  if (!ctx.require_elem(0, kTokens, "C3") || !ctx.require_rank(0, 1, 2, "C1")) {
    return Outcome::kFailed;
  }
  const auto indexes = ctx.attr_ints("ngram_indexes");
  if (!indexes || indexes->empty() || *std::min_element(indexes->begin(), indexes->end()) < 0) {
    return ctx.fail(Code::kAttribute, "C2",
                    "ngram_indexes must be given and hold no negative number");
  }
  std::optional<Shape> out = shape_of(ctx, 0);
  if (!out) return Outcome::kDone;
  out->back() = ctx.lit(*std::max_element(indexes->begin(), indexes->end())) + 1;
  ctx.set_tensor(0, ElemType::kFloat, std::move(out));
  return Outcome::kDone;
}

constexpr auto kRules = std::to_array<OpRule>({
    {"StringNormalizer", 10, string_normalizer},
    {"StringConcat", 20, string_concat},
    {"StringSplit", 20, string_split},
    {"RegexFullMatch", 20, regex_full_match},
    {"TfIdfVectorizer", 9, tf_idf_vectorizer},
});

}  // namespace

std::span<const Family> text_family() {
  static constexpr Family kFamilies[] = {{"", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
