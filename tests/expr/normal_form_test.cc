// Tables of normal forms: what is one expression, what is not, and what is unknown. Symbols are at
// least 0 unless a row says otherwise; what is expected follows from arithmetic.
#include <string>
#include <vector>

#include "expr/expr.h"
#include "expr/text.h"
#include "tests/expr/text_names.h"
#include "tests/support/catch.h"

namespace onnx_shapes {
namespace {

struct Pair {
  const char* a;
  const char* b;
};

Dim read(TextNames& names, const char* text) {
  const auto dim = names.read(text);
  INFO("text: " << text);
  REQUIRE(dim.ok());
  return *dim;
}

void check_identical(const std::vector<Pair>& pairs, Interval range = Interval::at_least(0)) {
  for (const Pair& pair : pairs) {
    Pool pool;
    TextNames names(pool, range);
    const Dim a = read(names, pair.a);
    const Dim b = read(names, pair.b);
    INFO(pair.a << " is " << to_text(a) << ", " << pair.b << " is " << to_text(b));
    CHECK(a.known());
    CHECK(a == b);
  }
}

void check_different(const std::vector<Pair>& pairs, Interval range = Interval::at_least(0)) {
  for (const Pair& pair : pairs) {
    Pool pool;
    TextNames names(pool, range);
    const Dim a = read(names, pair.a);
    const Dim b = read(names, pair.b);
    INFO(pair.a << " and " << pair.b << " are " << to_text(a));
    CHECK(a != b);
  }
}

const Interval kValue = Interval::all();
const Interval kNotEmpty = Interval::at_least(1);

}  // namespace

TEST_CASE("Normal form: polynomials") {
  check_identical({
      {"x - y + y", "x"},
      {"5 + x - 2 + 3", "x + 6"},
      {"2*x + 3*x - x", "4*x"},
      {"x - x", "0"},
      {"0*x", "0"},
      {"x - x + 5", "5"},
      {"x - 0", "x"},
      {"a + b + b", "2*b + a"},
      {"c + b + a", "a + b + c"},
      {"(a + b)*c - a*c - b*c", "0"},
      {"(a + b)*(a - b)", "a*a - b*b"},
      {"(a + 1)*(a + 1)", "a**2 + 2*a + 1"},
      {"-(a - b)", "b - a"},
      {"a*b*c", "c*b*a"},
      {"b + c - (b + c + 1)//2 + (b + c + 1)//2", "b + c"},
  });
}

TEST_CASE("Normal form: division by a number") {
  check_identical({
      {"(2*x)//2", "x"},
      {"1024*a//2", "512*a"},
      {"1024*(a + b)//1024*2", "2*a + 2*b"},
      {"(4*a + 2*b)//2", "2*a + b"},
      {"(2*a - 2*b)//2", "a - b"},
      {"(2*a + 4*b + 6*c)//2", "a + 2*b + 3*c"},
      {"(2*b + 2*c + 1)//2", "b + c"},
      {"(2*b + 2*c + 3)//2", "b + c + 1"},
      {"(s - 10)//5", "s//5 - 2"},
      {"(s + 10)//5", "s//5 + 2"},
      {"(2*b + 3*c)//2", "b + c + c//2"},
      {"6*a//4", "3*a//2"},
      {"(6 + 14*S)//8", "(7*S + 3)//4 + 0"},
      {"x//5//2", "x//10"},
      {"((x + 1)//2 + 1)//2", "(x + 3)//4"},
      {"(a - 3)//2 + 1", "(a - 1)//2"},
      {"(2*H - 2)//2 + 1", "H"},
      {"(H - 2)//2 + 1", "H//2"},
      {"1 + (7*S + 3)//4 - ((S + 1)*7)//4", "0"},
      {"(S%2)//2", "0"},
      {"(S%6)//3", "S//3 - 2*(S//6)"},
      {"0//a", "0"},
      {"7//2", "3"},
      {"(0 - 7)//2", "0 - 4"},
      {"a//1", "a"},
      {"ceiling(ceiling(H/2)/2)", "(H + 3)//4"},
      {"(2*a + 1)//4", "a//2"},
      {"(x//3 + y)//2", "(x + 3*y)//6"},
      {"(6*a + 3)//9", "(2*a + 1)//3"},
  });
}

TEST_CASE("Normal form: a division keeps its place") {
  check_different({
      {"batch*(seq//2)", "(batch*seq)//2"},
      {"a*(b%c)", "(a*b)%c"},
      {"-(a//2)", "(-a)//2"},
      {"b//(b//2)", "2"},
      {"x//(x//y)", "y"},
      {"2*(H//2)", "H"},
      {"2*(n//2) + 1", "n"},
      {"a//2 + (a + 2)//2", "a"},
      {"x//3 + (x + 1)//3", "x"},
      {"(x + y)//2", "x//2 + y//2"},
      {"x//2//3", "x//5"},
      {"(x//2)*2//4", "x//2"},
      {"max(x, y)//2", "max(x, y)"},
  });
}

TEST_CASE("Normal form: remainders") {
  check_identical({
      {"a%a", "0"},
      {"(2*a)%2", "0"},
      {"3*(a//3) + a%3", "a"},
      {"a%1", "0"},
      {"(a + 4)%2", "a%2"},
      {"(a%6)%3", "a%3"},
      {"(3*a + 5)%3", "2"},
      {"(a*b)%b", "0"},
      {"(0 - 1)%4", "3"},
      {"(a%4)//4", "0"},
      {"(a%4 + 4*b)//4", "b"},
  });
}

TEST_CASE("Normal form: complete sets of residues") {
  check_identical({
      {"a//2 + (a + 1)//2 + b", "a + b"},
      {"x//3 + (x + 1)//3 + (x + 2)//3", "x"},
      {"(x + 5)//3 + (x + 6)//3 + (x + 7)//3", "x + 5"},
      {"(1 + b + c)//2 + (b + c)//2", "b + c"},
      {"N*(H//2) + N*((H + 1)//2)", "H*N"},
      {"2*(a//2) + 3*((a + 1)//2)", "2*a + (a + 1)//2"},
      {"(a + 1)//2 - a//2", "a%2"},
      {"(2*a + b)//3 + (2*a + b + 1)//3 + (2*a + b + 2)//3", "2*a + b"},
  });
}

TEST_CASE("Normal form: division by symbols, which are at least 1 where it counts") {
  check_identical({
      {"2*batch//batch", "2"},
      {"(x*(y + 1))//(y + 1)", "x"},
      {"(N*C*H)//(C*H)", "N"},
      {"(N*(H//2))//N", "H//2"},
      {"16*B*(1 + Y)**2//(8*B*(1 + Y))", "2*Y + 2"},
      {"(8*s*((T + 7)//8) + 8*((T + 7)//8))//(8*((T + 7)//8))", "s + 1"},
      {"(x*y + z)//y", "x + z//y"},
      {"(N*x)//(N*y)", "x//y"},
      {"(4*x)//(6*y)", "(2*x)//(3*y)"},
      {"(x//y)//z", "x//(y*z)"},
      {"a//(a + 1)", "0"},
      {"(x%y)//y", "0"},
      {"(a*a - b*b)//(a + b)", "a - b"},
      {"(3*a + 1)//(3*b)", "a//b"},
  });
  // Where y is negative, so is x.
  check_different({{"(y*x)//(y*z)", "x//z"}}, kValue);
}

TEST_CASE("Normal form: maxima and minima") {
  check_identical({
      {"max(b, a)", "max(a, b)"},
      {"max(a + 1, a + 1)", "a + 1"},
      {"max(max(a, b), a)", "max(a, b)"},
      {"max(max(a, 2), 3)", "max(a, 3)"},
      {"min(a, a)", "a"},
      {"min(min(a, 3), 2)", "min(a, 2)"},
      {"min(2, 0)", "0"},
      {"max(n + 3, m + 3)", "max(n, m) + 3"},
      {"max(2*a, 2*b)", "2*max(a, b)"},
      {"max(a*n, b*n)", "n*max(a, b)"},
      {"max(0 - a, 0 - b)", "max(a, b) - a - b"},
      {"min(P + S, max(P, 0))", "P"},
      {"max(a, min(a, b))", "a"},
      {"min(a, max(a, b))", "a"},
      {"max(1 + max(a, b), c)", "max(a + 1, b + 1, c)"},
      {"max(c - min(a, b), 0)", "max(c - a, c - b, 0)"},
      {"max(a, b) + min(a, b)", "a + b"},
      {"n*max(a, b + 1) + n*min(a, b + 1)", "n*a + n*b + n"},
      {"min(N, 9223372036854775807)", "N"},
      {"max(N, -9223372036854775808)", "N"},
      {"max(0, min(S, 9223372036854775807))", "S"},
      {"max(a//2, a)", "a"},
      {"min((a + 1)//2, a)", "(a + 1)//2"},
      {"max(a, 0 - 3)", "a"},
      {"max(a*b, 0)", "a*b"},
      {"max(2, a%2)", "2"},
  });
  check_different({
      {"2*max(a, b)", "max(2*a, b)"},
      {"max(0, N - 1)", "N - 1"},
      {"max(a, b)", "a"},
      {"max(a, b)", "min(a, b)"},
      {"max(a, b)", "broadcast(a, b)"},
  });
}

TEST_CASE("Normal form: the range of a symbol decides") {
  check_identical({{"max(0, N - 1)", "N - 1"}, {"max(1, N)", "N"}, {"min(N*M, 1)", "1"}},
                  kNotEmpty);
  check_identical({{"broadcast(N + 1, M)", "N + 1"}}, kNotEmpty);
  check_different({{"max(0, N)", "N"}, {"max(N*n, M*n)", "max(N, M)*n"}, {"N*N", "N"}}, kValue);
  check_identical({{"max(N*N, 0)", "N*N"}, {"max(N*n*n, M*n*n)", "max(N, M)*n*n"}}, kValue);
}

TEST_CASE("Normal form: broadcasts") {
  check_identical({
      {"broadcast(a, b)", "broadcast(b, a)"},
      {"broadcast(a, a)", "a"},
      {"broadcast(a, 1)", "a"},
      {"broadcast(1, 1)", "1"},
      {"broadcast(a, 4)", "4"},
      {"broadcast(0, 1)", "0"},
      {"broadcast(a, 0)", "0"},
      {"broadcast(a, broadcast(b, c))", "broadcast(broadcast(a, b), c)"},
      {"broadcast(a, broadcast(b, a))", "broadcast(a, b)"},
      {"broadcast(a + 2, b)", "a + 2"},
      {"broadcast(b, a + 2)", "a + 2"},
      {"broadcast(5, a + 2)", "5"},
      {"broadcast(b + 2, a + 2)", "broadcast(a + 2, b + 2)"},
      {"broadcast(a, broadcast(b, 7))", "7"},
  });
}

TEST_CASE("Normal form: what has no value is unknown") {
  Pool pool;
  const Dim n = pool.symbol(pool.add_symbol("N"));
  const Dim two = pool.constant(2);
  CHECK_FALSE(floor_div(n, 0).known());
  CHECK_FALSE(floor_div(n, -2).known());
  CHECK_FALSE(floor_div(n, pool.constant(-1) - n).known());
  CHECK_FALSE(ceil_div(n, 0).known());
  CHECK_FALSE(mod(n, 0).known());
  CHECK_FALSE(broadcast(two, pool.constant(3)).known());
  CHECK_FALSE(broadcast(pool.constant(0), two).known());
  CHECK_FALSE(exact_quotient(n, two).known());
  CHECK_FALSE(exact_quotient(n, pool.constant(0)).known());
  CHECK(exact_quotient(n * n + n, n + 1) == n);
  CHECK(exact_quotient(n * 6, two) == n * 3);
  CHECK(pool.overflow_count() == 0);
}

TEST_CASE("Normal form: an unknown operand makes the result unknown") {
  Pool pool;
  const Dim n = pool.symbol(pool.add_symbol("N"));
  const Dim unknown;
  const std::vector<Dim> results = {
      n + unknown,
      unknown - n,
      unknown * n,
      unknown + 1,
      unknown - 1,
      unknown * 0,
      -unknown,
      floor_div(n, unknown),
      floor_div(unknown, 2),
      ceil_div(unknown, 2),
      mod(unknown, n),
      max(n, unknown),
      min(unknown, 3),
      broadcast(unknown, n),
      combine(n, 1, unknown, 0),
      exact_quotient(unknown, n),
  };
  for (const Dim result : results) CHECK_FALSE(result.known());
  CHECK(pool.overflow_count() == 0);
}

TEST_CASE("Normal form: overflow is unknown, and counted") {
  Pool pool;
  const Dim n = pool.symbol(pool.add_symbol("N"));
  const Dim large = n * INT64_MAX;
  REQUIRE(large.known());
  CHECK_FALSE((large * 2).known());
  CHECK_FALSE((large + n).known());
  CHECK_FALSE((pool.constant(INT64_MAX) + 1).known());
  CHECK_FALSE((pool.constant(INT64_MIN) * -1).known());
  CHECK_FALSE((-pool.constant(INT64_MIN)).known());
  CHECK(pool.overflow_count() == 5);
  CHECK((large - large).is(0));
  CHECK((pool.constant(INT64_MIN) + 1).number() == INT64_MIN + 1);
  CHECK(floor_div(pool.constant(INT64_MIN), 3).number() == INT64_MIN / 3 - 1);
  CHECK(pool.overflow_count() == 5);
}

TEST_CASE("Normal form: limits are unknown, and counted") {
  Pool pool;
  Dim sum = pool.constant(0);
  for (size_t i = 0; i < Pool::kMaxTerms; ++i) {
    sum = sum + pool.symbol(pool.add_symbol("N" + std::to_string(i)));
  }
  REQUIRE(sum.known());
  CHECK_FALSE((sum + pool.symbol(pool.add_symbol("M"))).known());
  CHECK_FALSE((sum * sum).known());
  CHECK(pool.overflow_count() == 2);

  const Dim n = pool.symbol(0);
  Dim product = pool.constant(1);
  for (uint32_t i = 0; i < Pool::kMaxDegree; ++i) product = product * n;
  REQUIRE(product.known());
  CHECK_FALSE((product * n).known());

  const Dim m = pool.symbol(1);
  Dim deep = n;
  for (size_t i = 0; i < Pool::kMaxDepth; ++i) deep = floor_div(deep * n + 1, m + 2);
  REQUIRE(deep.known());
  CHECK(deep.expr()->depth == Pool::kMaxDepth);
  CHECK_FALSE(floor_div(deep * n + 1, m + 2).known());
}

TEST_CASE("Normal form: bounds see through what they can") {
  struct Row {
    const char* text;
    Interval bounds;
  };
  const std::vector<Row> rows = {
      {"N", {0, Interval::kInf}},
      {"N + 3", {3, Interval::kInf}},
      {"3 - N", {Interval::kNegInf, 3}},
      {"N%4", {0, 3}},
      {"N - 4*(N//4)", {0, 3}},
      {"N - N//2", {0, Interval::kInf}},
      {"min(N, 7)", {0, 7}},
      {"max(N, 7)", {7, Interval::kInf}},
      {"max(N, 7) - N", {0, 7}},
      {"N*M + 1", {1, Interval::kInf}},
      {"max(N, M) - M", {0, Interval::kInf}},
      {"(N%4)*3 + 1", {1, 10}},
      {"broadcast(N, M)", {0, Interval::kInf}},
      // (M//N)*N is at most M, whatever number is added.
      {"max(7//(M%N)*(M//N)*N, 7//(M%N)*M + 5) - 7//(M%N)*M", {5, 5}},
      {"max(7//(M%N)*(M//N)*N, 7//(M%N)*M + 5) - 7//(M%N)*M + 7", {12, 12}},
      {"M*N - M*(N//2) + 3", {3, Interval::kInf}},
  };
  for (const Row& row : rows) {
    Pool pool;
    TextNames names(pool);
    INFO(row.text);
    CHECK(read(names, row.text).bounds() == row.bounds);
  }
}

}  // namespace onnx_shapes
