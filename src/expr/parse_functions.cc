// The table of functions: ours, SymPy's, onnx-light's and torch's.
#include "expr/parse_functions.h"

#include <algorithm>
#include <array>

namespace onnx_shapes {
namespace {

using Arguments = std::span<const Ratio>;

/// As many as an engine operation can hold; more would only cost time.
constexpr size_t kMany = Pool::kMaxTerms;

Ratio one_like(const Ratio& ratio) {
  Pool& pool = *ratio.numerator.expr()->pool;
  return whole(pool, pool.constant(1));
}

template <RatioResult (*combine)(Ratio, Ratio)>
RatioResult of_two(Arguments arguments) {
  return combine(arguments[0], arguments[1]);
}

RatioResult same(Arguments arguments) { return arguments[0]; }

RatioResult round_down(Arguments arguments) {
  return divide_down(arguments[0], one_like(arguments[0]));
}

/// CeilToInt(x) of torch and CeilToInt(x, n) of onnx-light, where x/n is meant.
RatioResult round_up(Arguments arguments) {
  const Ratio divisor = arguments.size() > 1 ? arguments[1] : one_like(arguments[0]);
  return divide_up(arguments[0], divisor);
}

RatioResult round_to_zero(Arguments arguments) { return truncate(arguments[0]); }

/// ModularIndexing(x, d, m) of torch is (x//d)%m.
RatioResult modular_index(Arguments arguments) {
  const RatioResult quotient = divide_down(arguments[0], arguments[1]);
  return quotient ? remainder(*quotient, arguments[2]) : quotient;
}

// The rounding functions take the floor of what they get, so a whole number stays as it is.
constexpr auto kFunctions = std::to_array<TextFunction>({
    {"max", 1, kMany, largest},
    {"min", 1, kMany, smallest},
    {"broadcast", 1, kMany, broadcast},
    {"floor", 1, 1, round_down},
    {"ceil", 1, 1, round_up},
    {"mod", 2, 2, of_two<remainder>},
    {"floordiv", 2, 2, of_two<divide_down>},
    {"ceildiv", 2, 2, of_two<divide_up>},
    // SymPy
    {"Max", 1, kMany, largest},
    {"Min", 1, kMany, smallest},
    {"Mod", 2, 2, of_two<remainder>},
    {"ceiling", 1, 1, round_up},
    // onnx-light and torch
    {"CeilToInt", 1, 2, round_up},
    // torch
    {"CeilDiv", 2, 2, of_two<divide_up>},
    {"CleanDiv", 2, 2, of_two<divide_without_rest>},
    {"FloatTrueDiv", 2, 2, of_two<divide>},
    {"FloorDiv", 2, 2, of_two<divide_down>},
    {"FloorToInt", 1, 1, round_down},
    {"Identity", 1, 1, same},
    {"IntTrueDiv", 2, 2, of_two<divide>},
    {"ModularIndexing", 3, 3, modular_index},
    {"PowByNatural", 2, 2, of_two<power>},
    {"PythonMod", 2, 2, of_two<remainder>},
    {"ToFloat", 1, 1, same},
    {"TruncToFloat", 1, 1, round_to_zero},
    {"TruncToInt", 1, 1, round_to_zero},
});

}  // namespace

const TextFunction* find_text_function(std::string_view name) {
  const auto* const found =
      std::find_if(kFunctions.begin(), kFunctions.end(),
                   [name](const TextFunction& function) { return function.name == name; });
  return found == kFunctions.end() ? nullptr : found;
}

}  // namespace onnx_shapes
