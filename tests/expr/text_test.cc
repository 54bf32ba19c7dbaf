// Texts and how the dims that they denote print. Every expectation is what the arithmetic of the
// integers gives, in the style of docs/semantics.md.
#include "expr/text.h"

#include <string>
#include <vector>

#include "tests/expr/text_names.h"
#include "tests/support/catch.h"

namespace onnx_shapes {
namespace {

struct Row {
  const char* text;
  const char* print;
};

/// Reads each text with names that may be any size, and prints it; then reads the print.
void check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    Pool pool;
    TextNames names(pool);
    const auto dim = names.read(row.text);
    INFO("text: " << row.text);
    INFO("problem: " << (dim ? "" : dim.reason().message));
    REQUIRE(dim.ok());
    const std::string printed = to_text(*dim);
    CHECK(printed == row.print);
    const auto again = names.read_declared(printed);
    REQUIRE(again.ok());
    CHECK(*again == *dim);
  }
}

}  // namespace

TEST_CASE("Text: numbers and names") {
  check({
      {"0", "0"},
      {"42", "42"},
      {"007", "7"},
      {"-7", "-7"},
      {"- 7", "-7"},
      {"--7", "7"},
      {"+7", "7"},
      {"9223372036854775807", "9223372036854775807"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"2.0", "2"},
      {"2.5*2", "5"},
      {"N", "N"},
      {" \tN\n", "N"},
      {"((N))", "N"},
      {"+N", "N"},
      {"--N", "N"},
      {"-N", "-N"},
      {"_0", "_0"},
      {"batch_size", "batch_size"},
      {"p2o.DynamicDimension.0", "p2o.DynamicDimension.0"},
      {"2*p2o.DynamicDimension.0", "2*p2o.DynamicDimension.0"},
      {"max", "max"},
      {"max + max(max, min)", "max + max(max, min)"},
      {"?", "?"},
      {"Conv.X:0", "Conv.X:0"},
      {"x[0]", "x[0]"},
      {"größe", "größe"},
  });
}

TEST_CASE("Text: names in quotes") {
  check({
      {"'N'", "N"},
      {"'N' + 1", "N + 1"},
      {"'seq len'", "seq len"},
      {"'seq len' - 1", "'seq len' - 1"},
      {"2*'seq-length'", "2*'seq-length'"},
      {"'?' + 1", "'?' + 1"},
      {"'' + 1", "'' + 1"},
      {"'it''s' + 1", "'it''s' + 1"},
      {"'''' + 1", "'''' + 1"},
      {"'2' + 2", "'2' + 2"},
      {"'(' + ')'", "'(' + ')'"},
      {"'a + b' + a + b", "a + 'a + b' + b"},
      {"'größe'//2", "'größe'//2"},
      {"max('a b', 'a c')", "max('a b', 'a c')"},
      {"'a b'*b", "'a b'*b"},
      {"b + 'a b'", "'a b' + b"},
  });
}

TEST_CASE("Text: sums") {
  check({
      {"seq + past_seq", "past_seq + seq"},
      {"past_seq+seq", "past_seq + seq"},
      {"x - y + y", "x"},
      {"5 + x - 2 + 3", "x + 6"},
      {"2*x + 3*x - x", "4*x"},
      {"x - x", "0"},
      {"x - x + 5", "5"},
      {"0*x", "0"},
      {"x - 0", "x"},
      {"1 - x", "1 - x"},
      {"-1 + x", "x - 1"},
      {"-x - y", "-x - y"},
      {"-x - 1", "-x - 1"},
      {"y - x", "y - x"},
      {"-x + y - z", "y - x - z"},
      {"x - y", "x - y"},
      {"x - (y - z)", "x - y + z"},
      {"x - y - z", "x - y - z"},
      {"x - (-y)", "x + y"},
      {"c+b+a", "a + b + c"},
      {"a+2*b", "a + 2*b"},
      {"a + b + b", "a + 2*b"},
      {"-2*a + 3*b", "3*b - 2*a"},
      {"(s52 + seq_length) - (s52 + s70)", "seq_length - s70"},
      {"e*2 - (e + e)", "0"},
      {"s25 - 1", "s25 - 1"},
      {"a - 9223372036854775807", "a - 9223372036854775807"},
      {"a - 9223372036854775807 - 1", "a + -9223372036854775808"},
      {"-9223372036854775808*a", "-9223372036854775808*a"},
      {"b - 9223372036854775807*a - a", "b + -9223372036854775808*a"},
  });
}

TEST_CASE("Text: products") {
  check({
      {"N*2", "2*N"},
      {"N*M", "M*N"},
      {"N*1", "N"},
      {"N*N", "N*N"},
      {"N**2", "N*N"},
      {"N**0", "1"},
      {"2**10", "1024"},
      {"-2**2", "-4"},
      {"(-2)**2", "4"},
      {"2**3**2", "512"},
      {"2**-1*N*2", "N"},
      {"-N*M", "-M*N"},
      {"a*b + c", "a*b + c"},
      {"c + a*b", "a*b + c"},
      {"1 + c + a*b", "a*b + c + 1"},
      {"2*(a + b)", "2*a + 2*b"},
      {"(N + 1)*(N - 1)", "N*N - 1"},
      {"(a + b)*(a - b)", "a*a - b*b"},
      {"(a + b)*c - a*c - b*c", "0"},
      {"(N + 1)**3", "N*N*N + 3*N*N + 3*N + 1"},
      {"batch*heads*seq*64", "64*batch*heads*seq"},
      {"-(a + b)", "-a - b"},
      {"3*-N", "-3*N"},
  });
}

TEST_CASE("Text: floor division") {
  check({
      {"H//2", "H//2"},
      {"(H + 1)//2", "(H + 1)//2"},
      {"H + 1//2", "H"},
      {"-1//2", "-1"},
      {"-(1//2)", "0"},
      {"7//-1*-1", "7"},
      {"H//2*W", "H//2*W"},
      {"W*(H//2)", "H//2*W"},
      {"W*H//2", "H*W//2"},
      {"(W*H)//2", "H*W//2"},
      {"2*(H//2)", "2*(H//2)"},
      {"H//2*2", "2*(H//2)"},
      {"2*H//2", "H"},
      {"2*H//3", "2*H//3"},
      {"-(H//2)", "-(H//2)"},
      {"-(H//2)*W", "-(H//2)*W"},
      {"1 - H//2", "1 - H//2"},
      {"1 - H//2*W", "1 - H//2*W"},
      {"H//2//2", "H//4"},
      {"H//2//3//5", "H//30"},
      {"x//5//2", "x//10"},
      {"H//(2*2)", "H//4"},
      {"H//W", "H//W"},
      {"H//(W + 1)", "H//(W + 1)"},
      {"H//(W*C)", "H//(C*W)"},
      {"H//W//C", "H//(C*W)"},
      {"b//(b//2)", "b//(b//2)"},
      {"x//(x//y)", "x//(x//y)"},
      {"x//(y//2)*2", "2*(x//(y//2))"},
      {"batch*(seq//2)", "batch*(seq//2)"},
      {"seq//2*batch*heads", "batch*heads*(seq//2)"},
      {"(H//2)*(W//2)", "H//2*(W//2)"},
      {"H//2*(H//2)", "H//2*(H//2)"},
      {"(2*H - 2)//2 + 1", "H"},
      {"(H - 2)//2 + 1", "H//2"},
      {"(a - 3)//2 + 1", "(a - 1)//2"},
      {"(sequence - 10)//5", "sequence//5 - 2"},
      {"(sequence + 10)//5", "sequence//5 + 2"},
      {"(2*b + 3*c)//2", "b + c + c//2"},
      {"(2*b + 2*c + 3)//2", "b + c + 1"},
      {"6*a//4", "a + a//2"},
      {"1024*a//2", "512*a"},
      {"(4*a + 2*b)//2", "2*a + b"},
      {"(2*a - 2*b)//2", "a - b"},
      {"2*batch//batch", "2"},
      {"(batch*seq)//seq", "batch"},
      {"(N*C*H)//(C*H)", "N"},
      {"(x*(y + 1))//(y + 1)", "x"},
      {"(N*(H//2))//N", "H//2"},
      {"16*B*(1 + Y)**2//(8*B*(1 + Y))", "2*Y + 2"},
      {"1 + (7*S + 3)//4 - ((S + 1)*7)//4", "0"},
      {"(2*a + 4*b + 6*c)//2", "a + 2*b + 3*c"},
      {"((c)//(2))", "c//2"},
      {"3*(H//3)", "3*(H//3)"},
      {"2*(n//2) + 1", "2*(n//2) + 1"},
      {"(H + 1)//2 - 1", "(H - 1)//2"},
      {"(H + 1)//2 + 1", "(H + 3)//2"},
      {"H//2 + 1", "H//2 + 1"},
      {"H//2 - 1", "H//2 - 1"},
      {"2*((H - 1)//2)", "2*((H - 1)//2)"},
      {"N - (H - 1)//2", "N - (H - 1)//2"},
      {"1 - (H + 1)//2", "1 - (H + 1)//2"},
      {"(H - 1)//2*((W - 1)//2)", "(H - 1)//2*((W - 1)//2)"},
      {"(H - 1)//2*((H - 1)//2)", "(H - 1)//2*((H - 1)//2)"},
      {"64*N*((H - 3)//2)*((W - 3)//2)", "64*((H - 3)//2)*N*((W - 3)//2)"},
      {"(max(N, 1) - 1)//2", "max(N - 1, 0)//2"},
      {"(H - 1000)//2 + (W - 3)//7", "H//2 + (W + 4)//7 - 501"},
      {"a//2 + b*c", "b*c + a//2"},
      {"0//a", "0"},
      {"a//1", "a"},
      {"a//a", "1"},
      {"(H + 2*pad - 3)//stride + 1", "(H + 2*pad - 3)//stride + 1"},
  });
}

TEST_CASE("Text: sums of quotients") {
  check({
      {"x//3 + (x + 1)//3", "(x + 1)//3 + x//3"},
      {"(1 + b + c)//2 + (b + c)//2", "b + c"},
      {"a//2 + (a + 1)//2 + b", "a + b"},
      {"x//3 + (x + 1)//3 + (x + 2)//3", "x"},
      {"(x + 5)//3 + (x + 6)//3 + (x + 7)//3", "x + 5"},
      {"a//2 + (a + 2)//2", "2*(a//2) + 1"},
  });
}

TEST_CASE("Text: rounding up") {
  check({
      {"CeilToInt(b + c, 2)", "(b + c + 1)//2"},
      {"ceildiv(N, 8)", "(N + 7)//8"},
      {"ceiling(N/8)", "(N + 7)//8"},
      {"ceil(N/8)", "(N + 7)//8"},
      {"-(-N//8)", "(N + 7)//8"},
      {"ceiling(ceiling(H/2)/2)", "(H + 3)//4"},
      {"8*ceiling(T/8)", "8*((T + 7)//8)"},
      {"CeilToInt(N, M)", "(N - 1)//M + 1"},
      {"ceiling(N/(M + 1))", "(N + M)//(M + 1)"},
      {"ceiling(A/Z)", "(A - 1)//Z + 1"},
      {"ceiling(Z/A)", "(Z - 1)//A + 1"},
      {"(8*slice*ceiling(T/8) + 8*ceiling(T/8))//(8*ceiling(T/8))", "slice + 1"},
      {"b + c - CeilToInt(b + c, 2) + CeilToInt(b + c, 2)", "b + c"},
      {"ceiling(N/2)*M", "M*((N + 1)//2)"},
  });
}

TEST_CASE("Text: remainders") {
  check({
      {"N%2", "N%2"},
      {"N - 2*(N//2)", "N%2"},
      {"N - N//2*2", "N%2"},
      {"N%N", "0"},
      {"0%N", "0"},
      {"N%1", "0"},
      {"(2*a)%2", "0"},
      {"(2*a + 1)%2", "1"},
      {"-1%5", "4"},
      {"7%4", "3"},
      {"N%M", "N%M"},
      {"N - M*(N//M)", "N%M"},
      {"a*(b%c)", "a*(b%c)"},
      {"b%c*a", "a*(b%c)"},
      {"a%b*c", "a%b*c"},
      {"a*b%c", "a*b%c"},
      {"2*(N%3)", "2*(N%3)"},
      {"-(N%3)", "-(N%3)"},
      {"8 - N%8", "8 - N%8"},
      {"N + N%2", "N + N%2"},
      {"(N + 1)%2", "(N + 1)%2"},
      {"N%2 + M%2", "M%2 + N%2"},
      {"N//2%3", "N//2%3"},
      {"N%6//2", "N//2%3"},
      {"N//4*4 + N%4", "N"},
      {"3*(a//3) + a%3", "a"},
      {"N%M%M", "N%M"},
      {"max(N%2, 1)", "1"},
      {"N%2//2", "0"},
  });
}

TEST_CASE("Text: max, min and broadcast") {
  check({
      {"max(x, y)", "max(x, y)"},
      {"max(y, x)", "max(x, y)"},
      {"max(x)", "x"},
      {"max(x, x)", "x"},
      {"max(a, b, c)", "max(a, b, c)"},
      {"max(max(c, a), b)", "max(a, b, c)"},
      {"max(n + 3, m + 3)", "max(m, n) + 3"},
      {"max(N, 0)", "N"},
      {"max(0, N - 1)", "max(N - 1, 0)"},
      {"max(N, 1) - 1", "max(N - 1, 0)"},
      {"max(N, 3) - 1", "max(N, 3) - 1"},
      {"max(N - start, 0)", "max(N - start, 0)"},
      {"max(N, M) - M", "max(N - M, 0)"},
      {"max(N, M) - N", "max(M - N, 0)"},
      {"max(N, M) - N - M", "max(N - M, 0) - N"},
      {"max(past + seq - total, 0)", "max(past + seq - total, 0)"},
      {"2*max(N - 1, 0)", "2*max(N - 1, 0)"},
      {"W*max(H - 3, 0)", "W*max(H - 3, 0)"},
      {"max(N, M) - 2*M", "max(M, N) - 2*M"},
      {"M - max(N, M)", "M - max(M, N)"},
      {"max(N, min(K, M)) - min(K, M)", "max(N, min(K, M)) - min(K, M)"},
      {"max(H - K + 1, 0) + W", "W + max(H - K + 1, 0)"},
      {"max(2, 3)", "3"},
      {"min(2, 3)", "2"},
      {"min(x, 4096)", "min(x, 4096)"},
      {"min(x, -1)", "-1"},
      {"min(N, 9223372036854775807)", "N"},
      {"min(P + S, max(P, 0))", "P"},
      {"2*max(a, b)", "2*max(a, b)"},
      {"max(2*a, 2*b)", "2*max(a, b)"},
      {"-max(a, b)", "-max(a, b)"},
      {"max(a, b)//2", "max(a, b)//2"},
      {"(max(a, b) + 1)//2", "(max(a, b) + 1)//2"},
      {"a//max(b, 1)", "a//max(b, 1)"},
      {"min(a*b, c)", "min(a*b, c)"},
      {"broadcast(x, y)", "broadcast(x, y)"},
      {"broadcast(y, x)", "broadcast(x, y)"},
      {"broadcast(x, x)", "x"},
      {"broadcast(x, 1)", "x"},
      {"broadcast(1, x)", "x"},
      {"broadcast(1, 1)", "1"},
      {"broadcast(0, 1)", "0"},
      {"broadcast(x, 4)", "4"},
      {"broadcast(broadcast(c, b), a)", "broadcast(a, b, c)"},
      {"broadcast(past_seq + seq, total_seq)", "broadcast(past_seq + seq, total_seq)"},
      {"broadcast(a, b)*2", "2*broadcast(a, b)"},
  });
}

}  // namespace onnx_shapes
