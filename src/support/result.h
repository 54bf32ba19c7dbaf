// A value or the reason why there is none.
#pragma once

#include <optional>
#include <utility>
#include <variant>

namespace onnx_shapes {

/// Wraps the reason of a failure, so that `return Failure{reason};` converts to any Result.
template <class E>
struct Failure {
  E reason;
};
template <class E>
Failure(E) -> Failure<E>;

template <class T, class E>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(*-explicit-*)
  Result(Failure<E> failure)                                             // NOLINT(*-explicit-*)
      : state_(std::in_place_index<1>, std::move(failure.reason)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  /// Precondition: ok().
  [[nodiscard]] T& value() & { return *std::get_if<0>(&state_); }
  [[nodiscard]] const T& value() const& { return *std::get_if<0>(&state_); }
  [[nodiscard]] T&& value() && { return std::move(*std::get_if<0>(&state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  /// Precondition: !ok().
  [[nodiscard]] const E& reason() const& { return *std::get_if<1>(&state_); }
  [[nodiscard]] E&& reason() && { return std::move(*std::get_if<1>(&state_)); }

 private:
  std::variant<T, E> state_;
};

/// Success without a value, or the reason of the failure.
template <class E>
class [[nodiscard]] Result<void, E> {
 public:
  Result() = default;
  Result(Failure<E> failure) : reason_(std::move(failure.reason)) {}  // NOLINT(*-explicit-*)

  [[nodiscard]] bool ok() const { return !reason_.has_value(); }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] const E& reason() const& { return *reason_; }
  [[nodiscard]] E&& reason() && { return std::move(*reason_); }

 private:
  std::optional<E> reason_;
};

}  // namespace onnx_shapes
