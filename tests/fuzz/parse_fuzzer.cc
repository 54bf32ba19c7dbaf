// Reads any bytes as the text of a dim. What is read must print, and the print must be read as the
// same dim and mean the same number.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "expr/text.h"

namespace {

using onnx_shapes::Dim;
using onnx_shapes::Pool;

[[noreturn]] void fail(const char* what, std::string_view text, const std::string& printed) {
  std::fprintf(stderr, "%s: '%.*s' printed as '%s'\n", what, static_cast<int>(text.size()),
               text.data(), printed.c_str());
  std::abort();
}

/// Each name is a symbol; the first byte of the name decides about its range.
class Names {
 public:
  explicit Names(Pool& pool) : pool_(pool) {}

  Dim operator()(std::string_view name) {
    const auto known = dims_.find(name);
    if (known != dims_.end()) return known->second;
    if (dims_.size() == kMaxNames) return {};
    using onnx_shapes::Interval;
    const unsigned kind = name.empty() ? 0 : static_cast<unsigned char>(name.front()) % 4U;
    const Interval range = kind == 1 ? Interval::all() : Interval::at_least(kind == 2 ? 1 : 0);
    const Dim dim = pool_.symbol(pool_.add_symbol(std::string(name), range));
    dims_.emplace(name, dim);
    return dim;
  }

 private:
  static constexpr size_t kMaxNames = 100;

  Pool& pool_;
  std::map<std::string, Dim, std::less<>> dims_;
};

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer asks for this name
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto in_text = onnx_shapes::names_in(text);
  if (in_text && in_text->size() > size) fail("more names than bytes", text, {});
  Pool pool;
  Names names(pool);
  const auto resolve = [&names](std::string_view name) { return names(name); };
  const auto dim = onnx_shapes::parse_dim(pool, text, resolve);
  if (!dim) {
    if (dim.reason().offset > size) fail("offset beyond the end", text, dim.reason().message);
    return 0;
  }
  const std::string printed = onnx_shapes::to_text(*dim);
  if (printed.empty()) return 0;
  const auto again = onnx_shapes::parse_dim(pool, printed, resolve);
  if (!again) fail(again.reason().message.c_str(), text, printed);
  if (*again != *dim) fail("read as another dim", text, printed);
  return 0;
}
