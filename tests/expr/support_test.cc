// Checked integer arithmetic and Result.
#include <memory>
#include <string>
#include <vector>

#include "support/int_math.h"
#include "support/result.h"
#include "tests/support/catch.h"

namespace onnx_shapes {
namespace {

Result<int, std::string> half(int number) {
  if (number % 2 != 0) return Failure{std::string("odd")};
  return number / 2;
}

Result<void, std::string> require_even(int number) {
  if (number % 2 != 0) return Failure{std::string("odd")};
  return {};
}

}  // namespace

TEST_CASE("Integers: sums, differences and products that do not fit are nothing") {
  CHECK(checked_add(2, 3) == 5);
  CHECK(checked_add(INT64_MAX, 0) == INT64_MAX);
  CHECK(checked_add(INT64_MAX, 1) == std::nullopt);
  CHECK(checked_add(INT64_MIN, -1) == std::nullopt);
  CHECK(checked_sub(INT64_MIN, 0) == INT64_MIN);
  CHECK(checked_sub(INT64_MIN, 1) == std::nullopt);
  CHECK(checked_sub(0, INT64_MIN) == std::nullopt);
  CHECK(checked_sub(-1, INT64_MIN) == INT64_MAX);
  CHECK(checked_mul(INT64_MIN, 1) == INT64_MIN);
  CHECK(checked_mul(INT64_MIN, -1) == std::nullopt);
  CHECK(checked_mul(int64_t{1} << 32, int64_t{1} << 31) == std::nullopt);
  CHECK(checked_mul(int64_t{1} << 32, -(int64_t{1} << 31)) == INT64_MIN);
}

TEST_CASE("Integers: division rounds down, or up, whatever the signs") {
  struct Row {
    int64_t a, b, down, rest, up;
  };
  const std::vector<Row> rows = {
      {7, 2, 3, 1, 4},
      {-7, 2, -4, 1, -3},
      {6, 3, 2, 0, 2},
      {-6, 3, -2, 0, -2},
      {0, 5, 0, 0, 0},
      {-1, 5, -1, 4, 0},
      {1, 5, 0, 1, 1},
      {INT64_MIN, 1, INT64_MIN, 0, INT64_MIN},
      {INT64_MAX, INT64_MAX, 1, 0, 1},
      {INT64_MIN, INT64_MAX, -2, INT64_MAX - 1, -1},
  };
  for (const Row& row : rows) {
    INFO(row.a << " by " << row.b);
    CHECK(floor_div(row.a, row.b) == row.down);
    CHECK(floor_mod(row.a, row.b) == row.rest);
    CHECK(ceil_div(row.a, row.b) == row.up);
    CHECK(checked_floor_div(row.a, row.b) == row.down);
  }
  CHECK(checked_floor_div(7, -2) == -4);
  CHECK(checked_floor_div(-7, -2) == 3);
  CHECK(checked_floor_div(1, 0) == std::nullopt);
  CHECK(checked_floor_div(INT64_MIN, -1) == std::nullopt);
}

TEST_CASE("Integers: greatest common divisors") {
  CHECK(gcd_magnitude(12, -18) == 6);
  CHECK(gcd_magnitude(0, 0) == 0);
  CHECK(gcd_magnitude(0, -5) == 5);
  CHECK(gcd_magnitude(INT64_MIN, 0) == uint64_t{1} << 63);
  CHECK(gcd_magnitude(INT64_MIN, INT64_MIN) == uint64_t{1} << 63);
  CHECK(gcd_magnitude(INT64_MIN, 6) == 2);
}

TEST_CASE("Result: a value or a reason") {
  const Result<int, std::string> good = half(8);
  REQUIRE(good.ok());
  CHECK(static_cast<bool>(good));
  CHECK(*good == 4);
  CHECK(good.value() == 4);
  const Result<int, std::string> bad = half(7);
  REQUIRE_FALSE(bad.ok());
  CHECK(bad.reason() == "odd");
  CHECK(require_even(2).ok());
  CHECK(require_even(3).reason() == "odd");
}

TEST_CASE("Result: takes and gives what can only be moved") {
  Result<std::unique_ptr<std::string>, int> result = std::make_unique<std::string>("text");
  REQUIRE(result.ok());
  CHECK(**result == "text");
  const std::unique_ptr<std::string> taken = *std::move(result);
  CHECK(*taken == "text");
}

TEST_CASE("Result: value and reason may be of one type") {
  const Result<std::string, std::string> value = std::string("value");
  const Result<std::string, std::string> reason = Failure{std::string("reason")};
  CHECK(value.ok());
  CHECK(value->size() == 5);
  CHECK_FALSE(reason.ok());
}

}  // namespace onnx_shapes
