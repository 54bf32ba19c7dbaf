// Recurrent networks: RNN, GRU and LSTM.
#include <fmt/format.h>

#include "rules/numeric_types.h"
#include "rules/rules.h"

namespace onnx_shapes {
namespace {

/// The dims that the operands share.
struct Dims {
  Dim sequence, batch, input, directions, hidden;
};

constexpr std::string_view kWhat = "the dims that the inputs share";

/// Takes from input i, of shape [a, b, ...], what its dims say; null entries are not compared.
bool unify(InferContext& ctx, size_t input, std::initializer_list<Dim*> dims) {
  if (!ctx.require_rank(input, dims.size(), "C1")) return false;
  const Shape* shape = ctx.shape(input);
  if (shape == nullptr) return true;
  size_t axis = 0;
  for (Dim* dim : dims) {
    if (dim != nullptr) *dim = ctx.require_equal(*dim, (*shape)[axis], "C2", kWhat);
    ++axis;
  }
  return true;
}

/// C2 for a dim that is a multiple of the hidden size.
void require_multiple(InferContext& ctx, size_t input, size_t axis, int64_t factor, Dims& dims) {
  const Shape* shape = ctx.shape(input);
  if (shape == nullptr || shape->size() <= axis) return;
  const Dim size = (*shape)[axis];
  if (!dims.hidden.known()) dims.hidden = exact_quotient(size, ctx.lit(factor));
  ctx.require_equal(size, dims.hidden * factor, "C2", "the gates of the weights and hidden_size");
}

std::optional<int64_t> direction_count(InferContext& ctx) {
  const std::string_view direction = ctx.attr_string("direction", "forward");
  if (direction == "forward" || direction == "reverse") return 1;
  if (direction == "bidirectional") return 2;
  ctx.report(Code::kAttribute, "C3", fmt::format("direction is '{}'", direction),
             "use forward, reverse or bidirectional");
  return std::nullopt;
}

// With layout 0 X is [seq, batch, input], Y [seq, directions, batch, hidden], and the states are
// [directions, batch, hidden]; with layout 1 (opset 14) the batch comes first everywhere. W is
// [directions, gates * hidden, input], R [directions, gates * hidden, hidden], B
// [directions, 2 * gates * hidden], sequence_lens [batch], P (LSTM) [directions, 3 * hidden].
//   C1  each input has its rank      C2  the dims that they share are equal
//   C3  direction is one of three    C4  layout is 0 or 1    C5  hidden_size >= 1
//   T1  X, W and R are of one float type     T2  sequence_lens holds 32-bit integers
Outcome recurrent(InferContext& ctx, int64_t gates) {
  constexpr std::array kLengths = {ElemType::kInt32};
  for (size_t i = 0; i < ctx.output_count(); ++i) ctx.set_tensor(i, ctx.elem(0));
  ctx.require_elem(0, kFloatTypes, "T1");
  ctx.require_same_elem(0, 1, "T1");
  ctx.require_same_elem(0, 2, "T1");
  ctx.require_elem(4, kLengths, "T2");
  const auto directions = direction_count(ctx);
  if (!directions) return Outcome::kFailed;
  const int64_t layout = ctx.attr_int("layout", 0);
  if (layout != 0 && layout != 1) {
    return ctx.fail(Code::kAttribute, "C4", fmt::format("layout is {}", layout));
  }
  Dims dims;
  dims.directions = ctx.lit(*directions);
  if (const auto hidden = ctx.attr_int("hidden_size")) {
    if (*hidden < 1) return ctx.fail(Code::kAttribute, "C5", "hidden_size must be at least 1");
    dims.hidden = ctx.lit(*hidden);
  }
  const bool batch_first = layout == 1;
  const bool ranks_fit =
      (batch_first ? unify(ctx, 0, {&dims.batch, &dims.sequence, &dims.input})
                   : unify(ctx, 0, {&dims.sequence, &dims.batch, &dims.input})) &&
      unify(ctx, 1, {&dims.directions, nullptr, &dims.input}) &&
      unify(ctx, 2, {&dims.directions, nullptr, &dims.hidden}) &&
      unify(ctx, 3, {&dims.directions, nullptr}) && unify(ctx, 4, {&dims.batch}) &&
      (gates != 4 || unify(ctx, 7, {&dims.directions, nullptr}));
  if (!ranks_fit) return Outcome::kFailed;
  for (size_t i = 5; i < (gates == 4 ? 7U : 6U); ++i) {
    const bool fits = batch_first ? unify(ctx, i, {&dims.batch, &dims.directions, &dims.hidden})
                                  : unify(ctx, i, {&dims.directions, &dims.batch, &dims.hidden});
    if (!fits) return Outcome::kFailed;
  }
  require_multiple(ctx, 1, 1, gates, dims);
  require_multiple(ctx, 2, 1, gates, dims);
  require_multiple(ctx, 3, 1, 2 * gates, dims);
  if (gates == 4) require_multiple(ctx, 7, 1, 3, dims);
  const Shape state = batch_first ? Shape{dims.batch, dims.directions, dims.hidden}
                                  : Shape{dims.directions, dims.batch, dims.hidden};
  ctx.set_tensor(0, ctx.elem(0),
                 batch_first ? Shape{dims.batch, dims.sequence, dims.directions, dims.hidden}
                             : Shape{dims.sequence, dims.directions, dims.batch, dims.hidden});
  for (size_t i = 1; i < ctx.output_count(); ++i) ctx.set_tensor(i, ctx.elem(0), state);
  return Outcome::kDone;
}

Outcome rnn(InferContext& ctx) { return recurrent(ctx, 1); }
Outcome gru(InferContext& ctx) { return recurrent(ctx, 3); }
Outcome lstm(InferContext& ctx) { return recurrent(ctx, 4); }

constexpr auto kRules =
    std::to_array<OpRule>({{"GRU", 1, gru}, {"LSTM", 1, lstm}, {"RNN", 1, rnn}});

}  // namespace

std::span<const Family> recurrent_family() {
  static constexpr std::array kFamilies = {Family{"", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
