// Checked and floor arithmetic on 64-bit integers: an operation that overflows says so.
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>

namespace onnx_shapes {

/// For intermediate values: every product of two 64-bit numbers fits.
__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using): no alias can be an extension

[[nodiscard]] inline std::optional<int64_t> checked_add(int64_t a, int64_t b) {
  int64_t r = 0;
  if (__builtin_add_overflow(a, b, &r)) return std::nullopt;
  return r;
}

[[nodiscard]] inline std::optional<int64_t> checked_sub(int64_t a, int64_t b) {
  int64_t r = 0;
  if (__builtin_sub_overflow(a, b, &r)) return std::nullopt;
  return r;
}

[[nodiscard]] inline std::optional<int64_t> checked_mul(int64_t a, int64_t b) {
  int64_t r = 0;
  if (__builtin_mul_overflow(a, b, &r)) return std::nullopt;
  return r;
}

/// Quotient rounded towards minus infinity. Nothing for b == 0 and for INT64_MIN / -1.
[[nodiscard]] inline std::optional<int64_t> checked_floor_div(int64_t a, int64_t b) {
  if (b == 0 || (a == INT64_MIN && b == -1)) return std::nullopt;
  const int64_t q = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}

/// Quotient rounded towards minus infinity. Precondition: b > 0.
[[nodiscard]] inline int64_t floor_div(int64_t a, int64_t b) {
  const int64_t q = a / b;
  return (a % b < 0) ? q - 1 : q;
}

/// Remainder of floor_div, in [0, b). Precondition: b > 0.
[[nodiscard]] inline int64_t floor_mod(int64_t a, int64_t b) {
  const int64_t r = a % b;
  return r < 0 ? r + b : r;
}

/// Quotient rounded towards plus infinity. Precondition: b > 0.
[[nodiscard]] inline int64_t ceil_div(int64_t a, int64_t b) {
  const int64_t q = a / b;
  return (a % b > 0) ? q + 1 : q;
}

/// Greatest common divisor as an unsigned number, so that INT64_MIN has one too.
[[nodiscard]] inline uint64_t gcd_magnitude(int64_t a, int64_t b) {
  const auto magnitude = [](int64_t v) {
    return v < 0 ? uint64_t{0} - static_cast<uint64_t>(v) : static_cast<uint64_t>(v);
  };
  return std::gcd(magnitude(a), magnitude(b));
}

}  // namespace onnx_shapes
