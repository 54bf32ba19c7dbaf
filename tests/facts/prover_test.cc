// What the prover answers, by facts.
#include "facts/prover.h"

#include <string>
#include <vector>

#include "tests/facts/world.h"
#include "tests/support/catch.h"

namespace onnx_shapes {
namespace {

using testing::World;

constexpr Truth kTrue = Truth::kTrue;
constexpr Truth kFalse = Truth::kFalse;
constexpr Truth kUnknown = Truth::kUnknown;

struct Row {
  std::string facts;
  std::string question;
  Truth answer;
};

void check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    World world;
    INFO(row.facts << " |- " << row.question);
    CHECK_FALSE(world.add(row.facts).has_value());
    CHECK(world.ask(row.question) == row.answer);
  }
}

TEST_CASE("The prover knows ranges") {
  check({
      {"", "N == N", kTrue},
      {"", "N == M", kUnknown},
      {"", "N == N + 1", kFalse},
      {"", "N <= N + 1", kTrue},
      {"", "N + 1 <= N", kFalse},
      {"", "0 <= N", kTrue},
      {"", "N == -1", kFalse},
      {"", "x == -1", kUnknown},
      {"", "1 <= N", kUnknown},
      {"", "N < N + M", kUnknown},
      {"", "N <= N + M", kTrue},
      {"", "2*N == 2*M + 1", kFalse},
      {"", "6*N + 4 == 9*M", kFalse},
      {"", "6*N + 3 == 9*M", kUnknown},
      {"", "x*x == -1", kFalse},
  });
}

TEST_CASE("The prover knows floor division") {
  check({
      {"", "A//2 + (A + 1)//2 == A", kTrue},
      {"", "(A - 1)//2 + 1 == (A + 1)//2", kTrue},
      {"", "A - A//2 == (A + 1)//2", kTrue},
      {"", "A//3 + (A + 1)//3 + (A + 2)//3 == A", kTrue},
      {"", "x//2 + (x + 1)//2 == x", kTrue},
      {"", "A//2 <= A", kTrue},
      {"", "A//4*4 <= A", kTrue},
      {"", "A <= A//4*4 + 3", kTrue},
      {"", "A <= A//4*4 + 2", kUnknown},
      {"", "A//4 <= A//2", kTrue},
      {"", "A//2 <= A//4", kUnknown},
      {"", "A % 7 <= 6", kTrue},
      {"", "A % 7 == 7", kFalse},
      {"", "(A + 6)//7 == A//7", kUnknown},
      {"", "(A + 6)//7 <= A//7 + 1", kTrue},
      {"", "A//7 <= (A + 6)//7", kTrue},
      {"", "(A + B)//2 <= A//2 + B//2", kUnknown},
      {"", "A//2 + B//2 <= (A + B)//2", kTrue},
      {"", "(A + B)//2 <= A//2 + B//2 + 1", kTrue},
      {"", "-(A//2) == (1 - A)//2", kTrue},
      {"N >= 1", "N*M//N == M", kTrue},
      {"", "A//B*B <= A", kTrue},
      {"B >= 1", "A < A//B*B + B", kTrue},
      {"B >= 1", "A//B <= A", kTrue},
      {"S + P <= 4095", "(S + P)//2 <= 2047", kTrue},
      {"S + P <= 4095", "(S + P)//2 <= 2000", kUnknown},
      {"H >= 10", "(H - 3)//2 >= 3", kTrue},
      {"H//2 >= 5", "H >= 10", kTrue},
      {"H//2 <= 5", "H <= 11", kTrue},
      {"H//2 <= 5", "H <= 10", kUnknown},
  });
}

TEST_CASE("The prover splits extrema into cases") {
  check({
      {"", "max(A, B) + min(A, B) == A + B", kTrue},
      {"", "max(A, B) >= A", kTrue},
      {"", "min(A, B) <= B", kTrue},
      {"", "max(A, B) == A", kUnknown},
      {"A >= B", "max(A, B) == A", kTrue},
      {"A <= B", "max(A, B) == B", kTrue},
      {"A <= B", "min(A, B) == A", kTrue},
      {"N >= 1", "max(N - 1, 0) == N - 1", kTrue},
      {"", "max(N - 1, 0) == N - 1", kUnknown},
      {"", "max(A, B) - min(A, B) >= 0", kTrue},
      {"", "2*max(A, B) >= A + B", kTrue},
      {"", "max(A, B) <= A + B", kTrue},
      {"", "min(A, max(A, B)) == A", kTrue},
      {"", "max(A, min(A, B)) == A", kTrue},
      {"A <= 5", "min(A, 7) == A", kTrue},
      {"A >= 5; B >= 6", "min(A, B) >= 5", kTrue},
      {"A >= 5; B >= 6", "min(A, B) >= 6", kUnknown},
      {"max(A, B) <= 3", "A <= 3", kTrue},
      {"min(A, B) >= 3", "B >= 3", kTrue},
      {"", "max(A, B)*C >= A*C", kTrue},
      {"u <= max(A, B); A <= K; B <= K", "u <= K", kTrue},
  });
}

TEST_CASE("The prover knows what broadcasts to what") {
  check({
      {"", "broadcast(A, B) == B", kUnknown},
      {"A == 1", "broadcast(A, B) == B", kTrue},
      {"A == B", "broadcast(A, B) == B", kTrue},
      {"B >= 2", "broadcast(A, B) == B", kTrue},
      {"A >= 1; A <= B", "broadcast(A, B) == B", kTrue},
      {"A <= B", "broadcast(A, B) == B", kUnknown},
      {"B <= 0", "broadcast(A, B) == B", kTrue},
      {"A <= 9; B <= 9", "broadcast(A, B) <= 9", kTrue},
      {"A == 7*u; u >= 1", "broadcast(A, B) == A", kTrue},
  });
}

TEST_CASE("The prover looks into products") {
  check({
      {"H//2 == 0", "H <= 1", kTrue},
      {"H//2 == 0; H >= 1", "H == 1", kTrue},
      {"H >= 1; H//2 == 0", "H == 1", kTrue},
      {"H//2 == 0; H*C >= 1", "H == 1", kTrue},
      {"H//2 == 0; H*C >= 1", "4*C*C*H == C*H", kFalse},
      {"A <= N; B <= M", "(N - A)*(M - B) >= 0", kTrue},
      {"N <= A; M <= B", "(N - A)*(M - B) >= 0", kTrue},
      {"A <= N; M <= B", "(N - A)*(M - B) <= 0", kTrue},
      {"A <= N", "(N - A)*(M - B) >= 0", kUnknown},
      {"A <= N; B <= M", "(N - A)*(M - B) >= 1", kUnknown},
      {"A <= N; B <= M; C <= K", "(N - A)*(M - B)*(K - C)*D >= 0", kTrue},
      {"", "(H - 3*H//4)*(W - 3*W//4)*N >= 0", kTrue},
      {"", "(3*H//4 - H)*(W - 3*W//4)*N >= 0", kUnknown},
      {"", "(3*H//4 - H)*(W - 3*W//4)*N <= 0", kTrue},
      {"", "N*M + N + M + 1 >= 0", kTrue},
      {"", "(x - N)*(x - N) >= 0", kUnknown},
      {"N >= 1; M >= 2", "N*M == N", kFalse},
      {"N >= 1", "(2*N - 1)*(2*M + 1) == 0", kFalse},
      {"H//2 == 0; W//2 >= 1; C*H*W >= 1", "4*C*H*(W//2) == C*H*W", kFalse},
      {"H//2 == 0; W//2 == 0; C*H*W >= 1", "4*C*C*H == C*H*W", kFalse},
      {"W//2 == 0; H//2 >= 1; C*H*W >= 1", "4*C*C*(H//2) == C*H*W", kFalse},
  });
}

TEST_CASE("The prover uses what is recorded") {
  check({
      {"N == M", "N == M", kTrue},
      {"N == M; M == K", "2*N + 1 == 2*K + 1", kTrue},
      {"N == M + 1", "N == M", kFalse},
      {"N == 4", "N*M == 4*M", kTrue},
      {"N <= M; M <= K", "N <= K", kTrue},
      {"N <= M; M <= K", "K <= N", kUnknown},
      {"N <= M; M < K", "K <= N", kFalse},
      {"N <= M; M <= N", "N == M", kTrue},
      {"nnz <= N*M", "nnz <= N*M + 5", kTrue},
      {"nnz <= N*M; N <= 3; M <= 4", "nnz <= 12", kTrue},
      {"nnz <= N*M; N <= 3; M <= 4", "nnz <= 11", kUnknown},
      {"nnz <= N*M; N <= K", "nnz <= K*M", kTrue},
      {"nnz <= N*M; M <= 5", "nnz <= 5*N", kTrue},
      {"nnz <= N*M; M == 1", "nnz <= N", kTrue},
      {"2*u == K", "u == K//2", kTrue},
      {"2*u == K", "2 | K", kTrue},
      {"2*u == K", "K == 7", kFalse},
      {"2*u == K", "(K + 1)//2 == K//2", kTrue},
      {"2*u == K", "(K + 1)//2*2 == K", kTrue},
      {"2*u == K", "2 | K*N", kTrue},
      {"2*u == K", "2 | K + 1", kFalse},
      {"2*u == K", "K == 2*N + 1", kFalse},
      {"4*u == K", "2 | K", kTrue},
      {"4*u == K", "8 | K", kUnknown},
      {"3*u + 1 == K", "3 | K + 2", kTrue},
      {"3*u + 1 == K", "3 | K", kFalse},
      {"", "4 | 4*N + 8", kTrue},
      {"", "4 | 4*N + 2", kFalse},
      {"", "2 | N", kUnknown},
      {"", "2 | N*2 + 2*M*K", kTrue},
      {"N*M == 12", "N >= 1", kTrue},
      {"N*M == 12", "N <= 12", kTrue},
      {"u*N == 4*N", "u == 4", kUnknown},
      {"u*N == 4*N; N >= 1", "u == 4", kTrue},
      {"N >= 1; u*N == 4*N", "u == 4", kTrue},
      {"A*B == C*D", "2*A*B == 2*C*D", kTrue},
      {"A*B == C*D", "A*B + 1 == C*D", kFalse},
      {"u*u == M; u*u == K", "M == K", kTrue},
      {"max(u, v) == M; max(u, v) == K", "M == K", kTrue},
      {"max(u, N) == M", "N <= M", kTrue},
      {"u//2 == M", "u <= 2*M + 1", kTrue},
      {"N <= 4", "N == 5", kFalse},
      {"N <= 4", "N*N <= 16", kTrue},
      {"u == N - 1", "N >= 1", kTrue},
      {"P + S == T", "S <= T", kTrue},
      {"P + S == T", "T - P == S", kTrue},
      {"D <= 10; outd <= D", "outd <= 10", kTrue},
      {"x <= N; x >= N - 1", "x - N <= 1", kTrue},
      {"x <= N; x >= N - 1", "N <= x", kUnknown},
  });
}

}  // namespace
}  // namespace onnx_shapes
