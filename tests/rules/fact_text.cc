#include "tests/rules/fact_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "expr/text.h"

namespace onnx_shapes::test {
namespace {

constexpr auto kTypes = std::to_array<std::pair<std::string_view, ElemType>>({
    {"f32", ElemType::kFloat},
    {"f64", ElemType::kDouble},
    {"f16", ElemType::kFloat16},
    {"bf16", ElemType::kBfloat16},
    {"i8", ElemType::kInt8},
    {"i16", ElemType::kInt16},
    {"i32", ElemType::kInt32},
    {"i64", ElemType::kInt64},
    {"u8", ElemType::kUint8},
    {"u16", ElemType::kUint16},
    {"u32", ElemType::kUint32},
    {"u64", ElemType::kUint64},
    {"i4", ElemType::kInt4},
    {"u4", ElemType::kUint4},
    {"i2", ElemType::kInt2},
    {"u2", ElemType::kUint2},
    {"bool", ElemType::kBool},
    {"str", ElemType::kString},
    {"c64", ElemType::kComplex64},
    {"c128", ElemType::kComplex128},
    {"f8e4m3fn", ElemType::kFloat8E4M3FN},
    {"f8e4m3fnuz", ElemType::kFloat8E4M3FNUZ},
    {"f8e5m2", ElemType::kFloat8E5M2},
    {"f8e5m2fnuz", ElemType::kFloat8E5M2FNUZ},
    {"f4e2m1", ElemType::kFloat4E2M1},
    {"f8e8m0", ElemType::kFloat8E8M0},
    {"undef", ElemType::kUndefined},
});

std::string_view trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \n") - first + 1);
}

std::optional<int64_t> read_number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

class FactReader {
 public:
  FactReader(Pool& pool, const Names& names) : pool_(pool), names_(names) {}

  Result<WrittenFact, std::string> read(std::string_view text) {
    WrittenFact written;
    written.text = std::string(text);
    if (text == "-") {
      written.left_out = true;
    } else if (text != "?") {
      read_type(text, written);
    }
    if (!error_.empty()) return Failure{"fact `" + std::string(text) + "`: " + error_};
    return written;
  }

 private:
  void read_type(std::string_view text, WrittenFact& written) {
    const size_t open = text.find_first_of("([{?");
    const std::string_view word = text.substr(0, open);
    const std::string_view rest = open == std::string_view::npos ? "" : text.substr(open);
    if (!rest.empty() && rest.front() == '(') {
      if (rest.back() != ')') return fail("`)` is missing");
      return read_compound(word, rest.substr(1, rest.size() - 2), written.fact);
    }
    const auto* const row = std::find_if(kTypes.begin(), kTypes.end(),
                                         [&](const auto& type) { return type.first == word; });
    if (row == kTypes.end()) return fail("no type is called " + std::string(word));
    written.fact = Fact::tensor(row->second, Shape());
    if (rest == "?") {
      written.fact.shape.reset();
    } else {
      read_shape(rest, written);
    }
  }

  void read_compound(std::string_view word, std::string_view inside, Fact& fact) {
    const auto parts = split_outside_brackets(inside, ';');
    const auto inner = [&](size_t i) {
      WrittenFact written;
      if (i >= parts.size()) {
        fail("something is missing in the parentheses");
      } else if (parts[i] != "?") {
        read_type(parts[i], written);
      }
      return written.fact;
    };
    if (word == "seq") {
      fact = Fact::sequence(inner(0), parts.size() > 1 ? read_dim(parts[1]) : Dim());
    } else if (word == "opt") {
      fact = Fact::optional(inner(0), parts.size() > 1 ? read_dim(parts[1]) : Dim());
    } else if (word == "sparse") {
      fact = inner(0);
      fact.kind = FactKind::kSparseTensor;
    } else if (word == "map") {
      fact.kind = FactKind::kMap;
      fact.elem = inner(0).elem;
      fact.element = std::make_shared<const Fact>(inner(1));
    } else {
      fail("no type is called " + std::string(word));
    }
  }

  void read_shape(std::string_view rest, WrittenFact& written) {
    if (!rest.empty() && rest.front() == '[') {
      const size_t close = rest.find(']');
      if (close == std::string_view::npos) return fail("`]` is missing");
      for (const std::string& dim : split_outside_brackets(rest.substr(1, close - 1), ',')) {
        written.fact.shape->push_back(read_dim(dim));
      }
      rest = rest.substr(close + 1);
    }
    if (rest.empty()) return;
    if (rest.front() != '{' || rest.back() != '}') return fail("text after the type");
    read_contents(rest.substr(1, rest.size() - 2), written);
  }

  void read_contents(std::string_view inside, WrittenFact& written) {
    written.has_contents = true;
    if (inside == "none") {
      written.nothing_known = true;
      return;
    }
    Elements elements;
    for (const std::string& element : split_outside_brackets(inside, ',')) {
      if (element.front() == '"') {
        written.strings.push_back(element.substr(1, element.size() - 2));
      } else {
        elements.push_back(read_scalar(element));
      }
    }
    const size_t count = elements.size() + written.strings.size();
    if (!element_count(pool_, *written.fact.shape).is(static_cast<int64_t>(count))) {
      return fail("the number of elements does not fit the dims");
    }
    if (written.strings.empty()) {
      written.fact.elements = std::make_shared<const Elements>(std::move(elements));
    }
  }

  Scalar read_scalar(std::string_view text) {
    const size_t slash = text.rfind('/');
    if (slash != std::string_view::npos && slash > 0 && text[slash - 1] != '/') {
      if (const auto denominator = read_number(trim(text.substr(slash + 1)))) {
        return {read_dim(trim(text.substr(0, slash))), *denominator};
      }
    }
    return {read_dim(text), 1};
  }

  Dim read_dim(std::string_view text) {
    if (text == "?") return {};
    if (const auto number = read_number(text)) return pool_.constant(*number);
    const auto dim = parse_dim(pool_, text, names_);
    if (!dim) {
      fail(std::string(text) + ": " + dim.reason().message);
      return {};
    }
    return *dim;
  }

  void fail(std::string message) {
    if (error_.empty()) error_ = std::move(message);
  }

  Pool& pool_;
  const Names& names_;
  std::string error_;
};

std::string write_scalar(const Scalar& scalar) {
  const std::string numerator = to_text(scalar.numerator);
  if (scalar.denominator == 1) return numerator;
  const bool number = scalar.numerator.number().has_value();
  return (number ? numerator : "(" + numerator + ")") + "/" + std::to_string(scalar.denominator);
}

std::string write_tensor(const Fact& fact) {
  const auto* const row = std::find_if(kTypes.begin(), kTypes.end(),
                                       [&](const auto& type) { return type.second == fact.elem; });
  std::string text(row == kTypes.end() ? "unnamed type" : row->first);
  if (!fact.shape) return text + "?";
  for (size_t i = 0; i < fact.shape->size(); ++i) {
    text += (i == 0 ? "[" : ",") + to_text((*fact.shape)[i]);
  }
  if (!fact.shape->empty()) text += "]";
  if (!fact.elements) return text;
  text += "{";
  for (const Scalar& element : *fact.elements) {
    text += (text.back() == '{' ? "" : ",") + write_scalar(element);
  }
  return text + "}";
}

}  // namespace

bool WrittenFact::constant() const {
  if (!fact.is_tensor() || !fact.shape || !static_shape(*fact.shape)) return false;
  if (!strings.empty()) return true;
  return fact.elements && std::all_of(fact.elements->begin(), fact.elements->end(),
                                      [](Scalar e) { return e.numerator.number().has_value(); });
}

std::vector<std::string> split_outside_brackets(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  bool quoted = false;
  const auto finish = [&] {
    if (const std::string_view trimmed = trim(part); !trimmed.empty()) parts.emplace_back(trimmed);
    part.clear();
  };
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (!quoted && std::string_view("([{").find(c) != std::string_view::npos) ++depth;
    if (!quoted && std::string_view(")]}").find(c) != std::string_view::npos) --depth;
    if (c == separator && depth == 0 && !quoted) {
      finish();
    } else {
      part += c;
    }
  }
  finish();
  return parts;
}

Result<WrittenFact, std::string> read_fact(Pool& pool, std::string_view text, const Names& names) {
  return FactReader(pool, names).read(text);
}

Result<std::vector<WrittenFact>, std::string> read_facts(Pool& pool, std::string_view text,
                                                         const Names& names) {
  std::vector<WrittenFact> facts;
  for (const std::string& part : split_outside_brackets(text, ' ')) {
    auto fact = read_fact(pool, part, names);
    if (!fact) return Failure{fact.reason()};
    facts.push_back(std::move(fact).value());
  }
  return facts;
}

std::string write_fact(const Fact& fact) {
  const std::string element = fact.element ? write_fact(*fact.element) : "?";
  const std::string length = fact.length.known() ? ";" + to_text(fact.length) : "";
  switch (fact.kind) {
    case FactKind::kUnknown:
      return "?";
    case FactKind::kTensor:
      return write_tensor(fact);
    case FactKind::kSparseTensor:
      return "sparse(" + write_tensor(fact) + ")";
    case FactKind::kSequence:
      return "seq(" + element + length + ")";
    case FactKind::kOptional:
      return "opt(" + element + length + ")";
    case FactKind::kMap:
      return "map(" + write_fact(Fact::tensor(fact.elem, Shape())) + ";" + element + ")";
  }
  return "?";
}

}  // namespace onnx_shapes::test
