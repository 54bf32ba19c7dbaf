// What the parser reads from other tools, what it refuses and where, and that it stays bounded.
#include <chrono>
#include <string>
#include <vector>

#include "expr/text.h"
#include "tests/expr/text_names.h"
#include "tests/support/catch.h"

namespace onnx_shapes {
namespace {

struct Pair {
  const char* foreign;
  const char* ours;
};

void check_equal(const std::vector<Pair>& pairs) {
  for (const Pair& pair : pairs) {
    Pool pool;
    TextNames names(pool);
    const auto foreign = names.read(pair.foreign);
    INFO("text: " << pair.foreign);
    INFO("problem: " << (foreign ? "" : foreign.reason().message));
    REQUIRE(foreign.ok());
    const auto ours = names.read_declared(pair.ours);
    INFO("printed: " << to_text(*foreign));
    REQUIRE(ours.ok());
    CHECK(*foreign == *ours);
  }
}

struct Bad {
  std::string text;
  const char* message;
  size_t offset;
};

std::string repeated(const std::string& text, size_t count) {
  std::string result;
  result.reserve(text.size() * count);
  for (size_t i = 0; i < count; ++i) result += text;
  return result;
}

}  // namespace

TEST_CASE("Parse: what SymPy writes") {
  check_equal({
      {"floor(floor(height/2 - 1/2)/2) + 1", "(height + 3)//4"},
      {"floor(height/2 - 1/2) + 1", "(height + 1)//2"},
      {"floor(x/2)", "x//2"},
      {"floor(x/2 + 1/3)", "(3*x + 2)//6"},
      {"floor(x*y/6)", "x*y//6"},
      {"floor(x/y)", "x//y"},
      {"floor(x/(2*y) + 1/2)", "(x + y)//(2*y)"},
      {"ceiling(x/2)", "(x + 1)//2"},
      {"ceiling(2*x/3 - 1/3)", "(2*x + 1)//3"},
      {"Max(1, x)", "max(x, 1)"},
      {"Max(x/2, y/2)*2", "max(x, y)"},
      {"Min(x, y, z)", "min(x, min(y, z))"},
      {"Mod(x, 2)", "x%2"},
      {"Mod(x, y)", "x - y*(x//y)"},
      {"Mod(x/2, 1)*2", "x%2"},
      {"x**2 + 2*x*y + y**2", "(x + y)*(x + y)"},
      {"(x**2 - 1)/(x - 1)", "x + 1"},
      {"x*(x + 1)/2*2", "x*x + x"},
      {"x/2 + x/2", "x"},
      {"floor(0.5*x)", "x//2"},
      {"1.0*x", "x"},
      {"x**2/x", "x"},
      {"x*y**(-1)*y", "x"},
      {"floor(-x/2)", "-((x + 1)//2)"},
      {"floor(x/(-2))", "-((x + 1)//2)"},
      {"7//-2", "0 - 4"},
      {"7%-2", "0 - 1"},
  });
}

TEST_CASE("Parse: what onnx-light writes") {
  check_equal({
      {"a^b", "max(a, b)"},
      {"b^a", "max(a, b)"},
      {"a&b", "min(a, b)"},
      {"a&b&c", "min(a, min(b, c))"},
      {"a^b&c", "max(a, min(b, c))"},
      {"a&b + 1", "min(a, b + 1)"},
      {"(x)^(y+1)", "max(x, y + 1)"},
      {"1+x^y", "max(x + 1, y)"},
      {"12/:4", "3"},
      {"(a*b)/:(a*b)", "1"},
      {"(2*H)/:2", "H"},
      {"2*(H/:2)", "2*(H//2)"},
      {"(batch*seq)/:seq", "batch"},
      {"(1024*a)/:2", "512*a"},
      {"batch*4/:2", "2*batch"},
      {"CeilToInt(x, 2)", "(x + 1)//2"},
      {"CeilToInt(x+y,z)", "(x + y - 1)//z + 1"},
      {"broadcast(a,b)", "broadcast(b, a)"},
      {"2*batch//batch^2", "2"},
      {"2^2", "2"},
      {"2*(a^b)", "2*max(a, b)"},
      {"2*a^b", "max(2*a, b)"},
      {"(a+1)^(a+1)", "a + 1"},
      {"(a^b)^a", "max(a, b)"},
      {"(a^2)^3", "max(a, 3)"},
      {"a&a", "a"},
      {"a&3&2", "min(a, 2)"},
      {"(N*(H//2))/:N", "H//2"},
      {"(x//2)/:3", "x//6"},
      {"CeilToInt(b+c,2)+(b+c)//2", "b + c"},
      {"1024*(a+b)//1024*2", "2*a + 2*b"},
  });
}

TEST_CASE("Parse: what torch writes") {
  check_equal({
      {"TruncToInt(1.5*ToFloat(2*((height - 1)//2) + 2))", "3*((height - 1)//2) + 3"},
      {"s25 - 1", "s25 - 1"},
      {"((s0 - 1)//8) + 1", "(s0 + 7)//8"},
      {"FloorDiv(s0, 2)", "s0//2"},
      {"CleanDiv(s0*s1, s1)", "s0"},
      {"CeilDiv(s0, 16)", "(s0 + 15)//16"},
      {"CeilToInt(IntTrueDiv(s0, 4))", "(s0 + 3)//4"},
      {"FloorToInt(0.25*ToFloat(s0))", "s0//4"},
      {"FloorToInt(FloatTrueDiv(ToFloat(s0), 4.0))", "s0//4"},
      {"TruncToInt(ToFloat(s0)/2.0)", "s0//2"},
      {"TruncToInt(-ToFloat(s0)/2.0)", "-(s0//2)"},
      {"TruncToFloat(0.5*ToFloat(s0))", "s0//2"},
      {"PythonMod(s0, 8)", "s0%8"},
      {"ModularIndexing(s0, 4, 8)", "s0//4%8"},
      {"PowByNatural(s0, 2)", "s0*s0"},
      {"Identity(s0)", "s0"},
      {"Max(1, s0 - 1)", "max(s0 - 1, 1)"},
  });
}

TEST_CASE("Parse: spaces do not matter, also none") {
  check_equal({
      {"a+b*c-d//2%3", "a + b*c - d//2%3"},
      {"  ( a\t+\nb ) // 2 ", "(a + b)//2"},
      {"max ( a , b )", "max(a,b)"},
      {"a*-b", "-(a*b)"},
      {"a- -b", "a + b"},
  });
}

TEST_CASE("Parse: what is no expression, and where") {
  const std::vector<Bad> rows = {
      {"", "expected a number, a name or a parenthesis", 0},
      {"   ", "expected a number, a name or a parenthesis", 3},
      {"a +", "expected a number, a name or a parenthesis", 3},
      {"* a", "expected a number, a name or a parenthesis", 0},
      {"a b", "expected an operator or the end", 2},
      {"2a", "a name must not start with a digit", 0},
      {"2.", "expected a digit behind the decimal point", 2},
      {".5", "unexpected character", 0},
      {"a + $", "unexpected character", 4},
      {"(a", "expected `)`", 2},
      {"a)", "expected an operator or the end", 1},
      {"()", "expected a number, a name or a parenthesis", 1},
      {"max()", "expected a number, a name or a parenthesis", 4},
      {"max(a", "expected `,` or `)`", 5},
      {"max(a,)", "expected a number, a name or a parenthesis", 6},
      {"Mod(a)", "too few arguments for `Mod`", 0},
      {"Mod(a, b, c)", "too many arguments", 8},
      {"foo(a)", "unknown function `foo`", 0},
      {"2(a)", "expected an operator or the end", 1},
      {"(a)(b)", "expected an operator or the end", 3},
      {"'a", "the quoted name does not end", 0},
      {"a + 'b", "the quoted name does not end", 4},
      {"a < b", "unexpected character", 2},
      {"a / b", "the value is not a whole number", 0},
      {"a/2", "the value is not a whole number", 0},
      {"0.5", "the value is not a whole number", 0},
      {"1/:2", "the division leaves a remainder", 1},
      {"a//0", "division by zero", 1},
      {"a%(b - b)", "division by zero", 1},
      {"a/(2 - 2)", "division by zero", 1},
      {"a**b", "the exponent is not a small number", 1},
      {"a**65", "the exponent is not a small number", 1},
      {"0**-1", "division by zero", 1},
      {"TruncToInt((a - b)/2)", "truncation of a value whose sign is not known", 0},
      {"broadcast(a/2, b)", "broadcast of a value that is not a whole number", 0},
      {"broadcast(2, 3)", "the dims do not broadcast", 0},
      {"18446744073709551616", "the number is too large", 0},
      {"9223372036854775808", "the expression is too large", 0},
      {"9223372036854775807 + 1", "the expression is too large", 20},
      {"9223372036854775807*a*2", "the expression is too large", 21},
      {"0.12345678901234567890123", "the number has too many digits", 0},
  };
  for (const Bad& row : rows) {
    Pool pool;
    TextNames names(pool);
    for (const char* name : {"a", "b", "c"}) (void)names(name);
    const auto dim = names.read_declared(row.text);
    INFO("text: " << row.text);
    REQUIRE_FALSE(dim.ok());
    CHECK(dim.reason().message == row.message);
    CHECK(dim.reason().offset == row.offset);
    CHECK(to_text(names("a")) == "a");
  }
}

TEST_CASE("Parse: a name that is not declared is no expression") {
  Pool pool;
  TextNames names(pool);
  (void)names("N");
  const auto dim = names.read_declared("N + M");
  REQUIRE_FALSE(dim.ok());
  CHECK(dim.reason().message == "unknown name `M`");
  CHECK(dim.reason().offset == 4);
}

TEST_CASE("Parse: a text that is the name of a symbol is that symbol") {
  Pool pool;
  TextNames names(pool);
  const Dim n = names("N");
  (void)names("seq");
  (void)names("length");
  const Dim hyphen = names("seq-length");
  const Dim sum = names("N + 1");
  const Dim numeral = names("3");
  const Dim unknown = names("?");
  CHECK(*names.read_declared("seq-length") == hyphen);
  CHECK(*names.read_declared("N + 1") == sum);
  CHECK(*names.read_declared("3") == numeral);
  CHECK(*names.read_declared("?") == unknown);
  // Within an expression only the quotes say so.
  CHECK(*names.read_declared("(seq-length)") == names("seq") - names("length"));
  CHECK(*names.read_declared("'seq-length' + 1") == hyphen + 1);
  CHECK(*names.read_declared("N + 1 + 0") == n + 1);
  CHECK(*names.read_declared("(3)") == pool.constant(3));
  CHECK(*names.read_declared("2*'N + 1'") == sum * 2);
}

TEST_CASE("Parse: a text with a foreign character is one name") {
  Pool pool;
  const auto resolve = [&](std::string_view name) {
    return name == "a:b" || name == "a:b + 1" ? pool.constant(5) : Dim();
  };
  CHECK(parse_dim(pool, "a:b", resolve)->is(5));
  CHECK(parse_dim(pool, "a:b + 1", resolve)->is(5));
  CHECK_FALSE(parse_dim(pool, "a:c", resolve).ok());
  // `/:` is an operator.
  CHECK_FALSE(parse_dim(pool, "a/:b", resolve).ok());
}

TEST_CASE("Parse: the sign of a value decides truncation") {
  Pool pool;
  TextNames any(pool, Interval::all());
  CHECK_FALSE(any.read("TruncToInt(v/2)").ok());
  CHECK(any.read("TruncToInt(v)").ok());
  CHECK(*any.read("TruncToInt(max(v, 0)/2)") == *any.read("max(v, 0)//2"));
  CHECK(*any.read("TruncToInt(min(v, 0)/2)") == *any.read("ceildiv(min(v, 0), 2)"));
}

TEST_CASE("Parse: names of a text, in order of appearance") {
  const auto names = names_in("b*(a + 'c d') - max(b, e.f)//a");
  REQUIRE(names.has_value());
  CHECK(*names == std::vector<std::string>{"b", "a", "c d", "e.f"});
  CHECK(names_in("3")->empty());
  CHECK(*names_in("max") == std::vector<std::string>{"max"});
  CHECK_FALSE(names_in("a +").has_value());
  CHECK_FALSE(names_in("").has_value());
  CHECK_FALSE(names_in("a/2").has_value());
  CHECK_FALSE(names_in("?").has_value());
  // A name that cancels occurs all the same.
  CHECK(*names_in("a - a") == std::vector<std::string>{"a"});
}

TEST_CASE("Parse: identifiers") {
  for (const char* name : {"N", "_", "_0", "a.b", "p2o.DynamicDimension.0", "Z9", "a."}) {
    CHECK(is_identifier(name));
  }
  for (const char* name : {"", "0", "9a", ".a", "a b", "a-b", "a:b", "?", "größe", "'a'", "a\n"}) {
    CHECK_FALSE(is_identifier(name));
  }
  CHECK_FALSE(is_identifier(std::string_view("a\0b", 3)));
}

TEST_CASE("Parse: hostile texts end in an error, quickly") {
  const std::vector<std::string> texts = {
      repeated("(", 1'000'000),
      repeated("-", 1'000'000),
      repeated("(", 60'000),
      repeated("max(", 15'000),
      repeated("a**", 20'000) + "a",
      repeated("(a + ", 10'000),
      repeated("'", 60'001),
      repeated("9", 60'000),
      repeated("(", kMaxTextNesting + 1) + "a" + repeated(")", kMaxTextNesting + 1),
      repeated("(a + b)**64*", 5'000) + "a",
      repeated("(a + b + c + d)*", 4'000) + "a",
      "max(" + repeated("a,", 30'000) + "a)",
      std::string(1'000, '\0'),
  };
  Pool pool;
  TextNames names(pool);
  for (const char* name : {"a", "b", "c", "d"}) (void)names(name);
  const auto start = std::chrono::steady_clock::now();
  for (const std::string& text : texts) {
    INFO("text: " << text.substr(0, 20) << "..");
    CHECK_FALSE(names.read_declared(text).ok());
    CHECK_FALSE(names_in(text).has_value());
  }
  // Without limits some of them take minutes, or the stack.
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}

TEST_CASE("Parse: long texts within the limits are read") {
  Pool pool;
  TextNames names(pool);
  const Dim a = names("a");
  const std::string nested = repeated("(", kMaxTextNesting) + "a" + repeated(")", kMaxTextNesting);
  CHECK(*names.read_declared(nested) == a);
  CHECK(*names.read_declared("a" + repeated(" + 1", 5'000)) == a + 5'000);
  CHECK(*names.read_declared(repeated("-", 10'001) + "a") == -a);
  CHECK(*names.read_declared("a" + repeated(" ", kMaxTextLength - 1)) == a);
  CHECK_FALSE(names.read_declared("a" + repeated(" ", kMaxTextLength)).ok());
}

}  // namespace onnx_shapes
