#include "check/npy.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <numeric>
#include <unordered_map>

#include "support/int_math.h"

namespace onnx_shapes {
namespace {

constexpr size_t kMagicSize = 6;
constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxHeader = 64 * 1024;
constexpr size_t kMaxRank = 64;  // NumPy's own limit
constexpr int64_t kMaxStringBytes = 64 * 1024;

Failure<Finding> refused(const Place& place, std::string_view what, std::string help = {}) {
  return Failure{make_finding(Code::kArrayForm, place,
                              fmt::format("the array cannot be read: {}", what), std::move(help))};
}

/// The header's text, a Python dict literal with the keys descr, fortran_order and shape.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  /// False if the text is anything else.
  bool read(GivenArray& array) {
    bool has_type = false;
    bool has_order = false;
    bool has_shape = false;
    if (!take('{')) return false;
    while (!take('}')) {
      std::string key;
      if (!string(key) || !take(':')) return false;
      if (key == "descr") {
        has_type = string(array.type);
        if (!has_type) return false;
      } else if (key == "fortran_order") {
        has_order = take("True") ? (array.fortran_order = true) : take("False");
        if (!has_order) return false;
      } else if (key == "shape") {
        has_shape = shape(array.shape);
        if (!has_shape) return false;
      } else {
        return false;
      }
      (void)take(',');
    }
    return has_type && has_order && has_shape;
  }

 private:
  void skip_spaces() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n')) {
      text_.remove_prefix(1);
    }
  }
  bool take(char c) {
    skip_spaces();
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool take(std::string_view word) {
    skip_spaces();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  bool string(std::string& out) {
    skip_spaces();
    if (text_.empty() || (text_.front() != '\'' && text_.front() != '"')) return false;
    const size_t end = text_.find(text_.front(), 1);
    if (end == std::string_view::npos) return false;
    out = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return true;
  }
  bool shape(std::vector<int64_t>& out) {
    if (!take('(')) return false;
    while (!take(')')) {
      skip_spaces();
      int64_t number = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
      if (error != std::errc() || number < 0 || out.size() == kMaxRank) return false;
      out.push_back(number);
      text_.remove_prefix(static_cast<size_t>(end - text_.data()));
      (void)take('L');  // Python 2
      if (!take(',') && !text_.starts_with(')')) return false;
    }
    return true;
  }

  std::string_view text_;
};

/// False if it is no code point.
bool append_utf8(std::string& text, uint64_t point) {
  if (point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) return false;
  const auto part = [&](uint32_t shift) {
    return static_cast<char>(0x80U | (point >> shift & 0x3FU));
  };
  if (point < 0x800) {
    text += static_cast<char>(0xC0U | point >> 6U);
  } else {
    if (point < 0x10000) {
      text += static_cast<char>(0xE0U | point >> 12U);
    } else {
      text += static_cast<char>(0xF0U | point >> 18U);
      text += part(12);
    }
    text += part(6);
  }
  text += part(0);
  return true;
}

double half(uint16_t bits) {
  const int exponent = (bits >> 10U) & 0x1FU;
  const double fraction = bits & 0x3FFU;
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
  return sign * std::ldexp(fraction + 1024, exponent - 25);
}

double float_of(uint64_t bits, size_t width) {
  if (width == 2) return half(static_cast<uint16_t>(bits));
  if (width == 4) return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  return std::bit_cast<double>(bits);
}

/// Bytes of an element; 0 where the type is not made of plain bytes.
uint64_t width_of(const std::string& type) {
  uint64_t count = 0;
  if (type.size() < 3) return 0;
  const auto [end, error] = std::from_chars(type.data() + 2, type.data() + type.size(), count);
  if (error != std::errc() || end != type.data() + type.size()) return 0;
  if (type[1] == 'O' || count > UINT32_MAX) return 0;
  return type[1] == 'U' ? 4 * count : count;
}

/// The element type that a NumPy type is; kUndefined where NumPy has none of its own (`|V2`).
ElemType elem_of(std::string_view type) {
  static const std::unordered_map<std::string_view, ElemType> kTypes = {
      {"f4", ElemType::kFloat},     {"f8", ElemType::kDouble},      {"f2", ElemType::kFloat16},
      {"i1", ElemType::kInt8},      {"i2", ElemType::kInt16},       {"i4", ElemType::kInt32},
      {"i8", ElemType::kInt64},     {"u1", ElemType::kUint8},       {"u2", ElemType::kUint16},
      {"u4", ElemType::kUint32},    {"u8", ElemType::kUint64},      {"b1", ElemType::kBool},
      {"c8", ElemType::kComplex64}, {"c16", ElemType::kComplex128},
  };
  if (type.size() < 2) return ElemType::kUndefined;
  if (type[1] == 'U' || type[1] == 'S') return ElemType::kString;
  const auto found = kTypes.find(type.substr(1));
  return found == kTypes.end() ? ElemType::kUndefined : found->second;
}

uint64_t number(std::span<const uint8_t> bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), bytes.size());
  return bits;
}

std::optional<std::vector<int64_t>> read_integers(std::span<const uint8_t> bytes, size_t width,
                                                  char kind) {
  std::vector<int64_t> integers;
  for (size_t at = 0; at < bytes.size(); at += width) {
    const uint64_t bits = number(bytes.subspan(at, width));
    if (kind == 'i') {
      const auto unused = static_cast<uint32_t>(64 - 8 * width);
      integers.push_back(static_cast<int64_t>(bits << unused) >> unused);
    } else if (kind == 'b') {
      integers.push_back(bits != 0 ? 1 : 0);
    } else if (bits > static_cast<uint64_t>(INT64_MAX)) {
      return std::nullopt;
    } else {
      integers.push_back(static_cast<int64_t>(bits));
    }
  }
  return integers;
}

/// Code points of four bytes, or plain bytes; NULs fill up to the width. Nothing if a code point is
/// none.
std::optional<std::vector<std::string>> read_strings(std::span<const uint8_t> bytes, size_t width,
                                                     size_t count, char kind) {
  const size_t unit = kind == 'U' ? 4 : 1;
  std::vector<std::string> strings(count);
  for (size_t at = 0; at < bytes.size(); at += unit) {
    const uint64_t point = number(bytes.subspan(at, unit));
    std::string& text = strings[at / width];
    if (unit == 1 || point < 0x80) {
      text += static_cast<char>(point);
    } else if (!append_utf8(text, point)) {
      return std::nullopt;
    }
  }
  for (std::string& text : strings) text.resize(text.find_last_not_of('\0') + 1);
  return strings;
}

/// The elements in row-major order of what is in column-major order.
template <class T>
void transpose(const std::vector<int64_t>& shape, std::optional<std::vector<T>>& elements) {
  if (!elements || elements->empty()) return;
  std::vector<T> rows;
  std::vector<int64_t> index(shape.size(), 0);
  for (size_t i = 0; i < elements->size(); ++i) {
    size_t from = 0;
    for (size_t axis = shape.size(); axis-- > 0;) {
      from = from * static_cast<size_t>(shape[axis]) + static_cast<size_t>(index[axis]);
    }
    rows.push_back((*elements)[from]);
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
  elements = std::move(rows);
}

void read_elements(GivenArray& array, std::span<const uint8_t> bytes, size_t width, size_t count) {
  const char kind = array.type[1];
  if (kind == 'f') {
    array.numbers.emplace();
    for (size_t at = 0; at < bytes.size(); at += width) {
      array.numbers->push_back(float_of(number(bytes.subspan(at, width)), width));
    }
  } else if (kind == 'U' || kind == 'S') {
    array.strings = read_strings(bytes, width, count, kind);
  } else {
    array.integers = read_integers(bytes, width, kind);
  }
  if (!array.fortran_order || array.shape.size() < 2) return;
  transpose(array.shape, array.integers);
  transpose(array.shape, array.numbers);
  transpose(array.shape, array.strings);
}

/// Whether contents are read: they are not too many, and in a form that is read.
bool wants_contents(const GivenArray& array, int64_t count, uint64_t width) {
  const char order = array.type[0];
  const char kind = array.type[1];
  if (order != '<' && order != '|') return false;
  if (kind == 'U' || kind == 'S') {
    return count <= kMaxGivenElements && count * static_cast<int64_t>(width) <= kMaxStringBytes;
  }
  if (width > 8 || !std::has_single_bit(width)) return false;
  if (kind == 'i' || kind == 'u' || kind == 'b') return count <= kMaxGivenElements;
  return kind == 'f' && width >= 2 && count <= kMaxGivenFloats;
}

/// What the header says of an array, and where its contents are.
struct Layout {
  GivenArray array;
  uint64_t width = 0;  // bytes of an element; 0 where it is not made of plain bytes
  int64_t count = 0;
  size_t begin = 0;  // of the contents
  size_t end = 0;
};

Expected<Layout> read_layout(const Place& place, uint64_t size, const ReadPrefix& read) {
  Expected<std::vector<uint8_t>> start = read(kMagicSize + 6);
  if (!start) return Failure{start.reason()};
  const std::vector<uint8_t>& magic = *start;
  if (magic.size() < kMagicSize + 6 || std::memcmp(magic.data(), kMagic.data(), kMagicSize) != 0) {
    return refused(place, "it does not begin as a .npy file does");
  }
  const uint8_t version = magic[kMagicSize];
  if (version < 1 || version > 3) {
    return refused(place, fmt::format("version {} of the .npy format", version));
  }
  size_t length = magic[8] | (size_t{magic[9]} << 8U);
  if (version > 1) length |= (size_t{magic[10]} << 16U) | (size_t{magic[11]} << 24U);
  const size_t begin = version == 1 ? 10 : 12;
  if (length > kMaxHeader) return refused(place, "its header is longer than 64 KiB");
  Expected<std::vector<uint8_t>> head = read(begin + length);
  if (!head) return Failure{head.reason()};
  if (head->size() < begin + length) return refused(place, "it ends in its header");
  Layout layout;
  GivenArray& array = layout.array;
  const std::string_view text(reinterpret_cast<const char*>(head->data()) + begin, length);
  if (!HeaderReader(text).read(array)) {
    return refused(place, "its header names no plain type, order and shape",
                   "arrays of records are no inputs of a model");
  }
  layout.width = width_of(array.type);
  if (array.type.size() < 2) return refused(place, fmt::format("its type is '{}'", array.type));
  std::optional<int64_t> count = 1;
  for (const int64_t dim : array.shape) count = count ? checked_mul(*count, dim) : count;
  const std::optional<int64_t> bytes =
      count ? checked_mul(*count, static_cast<int64_t>(layout.width)) : std::nullopt;
  if (!bytes || size - begin - length < static_cast<uint64_t>(*bytes)) {
    return refused(place, "it is shorter than its shape and type say");
  }
  array.elem = elem_of(array.type);
  layout.count = *count;
  layout.begin = begin + length;
  layout.end = layout.begin + static_cast<size_t>(*bytes);
  return layout;
}

/// The bytes of the elements.
Expected<std::vector<uint8_t>> read_bytes(const Place& place, const Layout& layout,
                                          const ReadPrefix& read) {
  Expected<std::vector<uint8_t>> all = read(layout.end);
  if (!all) return all;
  if (all->size() < layout.end) return refused(place, "it is shorter than its shape and type say");
  all->erase(all->begin(), all->begin() + static_cast<std::ptrdiff_t>(layout.begin));
  return all;
}

}  // namespace

Expected<GivenArray> read_npy(const Place& place, uint64_t size, const ReadPrefix& read) {
  Expected<Layout> layout = read_layout(place, size, read);
  if (!layout) return Failure{layout.reason()};
  GivenArray& array = layout->array;
  if (layout->width == 0 || !wants_contents(array, layout->count, layout->width)) {
    return std::move(array);
  }
  const Expected<std::vector<uint8_t>> bytes = read_bytes(place, *layout, read);
  if (!bytes) return Failure{bytes.reason()};
  read_elements(array, *bytes, static_cast<size_t>(layout->width),
                static_cast<size_t>(layout->count));
  return std::move(array);
}

Expected<RunInput> read_whole_npy(const Place& place, uint64_t size, const ReadPrefix& read) {
  Expected<Layout> layout = read_layout(place, size, read);
  if (!layout) return Failure{layout.reason()};
  GivenArray& array = layout->array;
  if (layout->width == 0 && layout->count > 0) {
    return refused(place, fmt::format("'{}' has no plain contents", array.type));
  }
  Expected<std::vector<uint8_t>> bytes = read_bytes(place, *layout, read);
  if (!bytes) return Failure{bytes.reason()};
  RunInput input;
  input.elem = array.elem;
  input.dims = array.shape;
  const auto width = static_cast<size_t>(layout->width);
  const auto count = static_cast<size_t>(layout->count);
  if (array.elem == ElemType::kString) {
    if (count > 0) read_elements(array, *bytes, width, count);
    if (count > 0 && !array.strings) return refused(place, "a code point of a string is none");
    input.strings = array.strings.value_or(std::vector<std::string>());
    return input;
  }
  if (array.fortran_order && array.shape.size() > 1) {
    std::optional<std::vector<size_t>> order(count);
    std::iota(order->begin(), order->end(), size_t{0});
    transpose(array.shape, order);
    for (const size_t from : *order) {
      const auto element = bytes->begin() + static_cast<std::ptrdiff_t>(from * width);
      input.bytes.insert(input.bytes.end(), element, element + static_cast<std::ptrdiff_t>(width));
    }
  } else {
    input.bytes = std::move(*bytes);
  }
  return input;
}

}  // namespace onnx_shapes
