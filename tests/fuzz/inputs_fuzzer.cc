// Reads any bytes as the inputs of a run: as an archive, an array, and a message. What comes out
// must fit itself: contents are as many as the shape says, and few.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "check/inputs.h"
#include "check/npy.h"
#include "check/zip.h"
#include "model/value_file.h"

namespace onnx_shapes {
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

/// Elements by the dims; kMaxGivenElements + 1 if there are more.
size_t count_of(const std::vector<int64_t>& dims) {
  size_t count = 1;
  for (const int64_t dim : dims) {
    require(dim >= 0);
    if (dim == 0) return 0;
    const bool many = dim > kMaxGivenElements || count > static_cast<size_t>(kMaxGivenElements);
    count = many ? static_cast<size_t>(kMaxGivenElements) + 1 : count * static_cast<size_t>(dim);
  }
  return count;
}

template <class T>
void check_contents(const std::optional<std::vector<T>>& contents, size_t count, int64_t most) {
  require(!contents || (contents->size() == count && count <= static_cast<size_t>(most)));
}

void check_array(const Expected<GivenArray>& array) {
  if (!array) return require(array.reason().code == Code::kArrayForm);
  const size_t count = count_of(array->shape);
  check_contents(array->integers, count, kMaxGivenElements);
  check_contents(array->numbers, count, kMaxGivenFloats);
  check_contents(array->strings, count, kMaxGivenElements);
}

void read_archive(const MappedFile& file) {
  const Expected<std::vector<ZipEntry>> entries = zip_entries(file);
  if (!entries) return require(entries.reason().code == Code::kInputsUnreadable);
  require(entries->size() <= kMaxZipEntries);
  for (const ZipEntry& entry : *entries) {
    check_array(read_npy(place_in("fuzz", entry.name), entry.size,
                         [&](size_t limit) -> Expected<std::vector<uint8_t>> {
                           auto part = zip_contents(file, entry, limit);
                           require(!part || part->size() <= limit);
                           return part;
                         }));
  }
}

void read_array(std::span<const uint8_t> bytes) {
  check_array(
      read_npy(place_in("fuzz"), bytes.size(), [&](size_t limit) -> Expected<std::vector<uint8_t>> {
        const auto part = bytes.first(std::min(limit, bytes.size()));
        return std::vector<uint8_t>(part.begin(), part.end());
      }));
}

void check_value(const StoredValue& value) {
  const size_t count = count_of(value.dims);
  check_contents(value.integers, count, kMaxGivenElements);
  check_contents(value.numbers, count, kMaxGivenFloats);
  check_contents(value.strings, count, kMaxGivenElements);
  for (const StoredValue& element : value.elements) check_value(element);
}

void read_message(const MappedFile& file) {
  using Kind = DeclaredType::Kind;
  for (const Kind kind :
       {Kind::kTensor, Kind::kSparseTensor, Kind::kSequence, Kind::kOptional, Kind::kMap}) {
    const Expected<StoredValue> value =
        read_value(file, kind,
                   {.integers = static_cast<size_t>(kMaxGivenElements),
                    .numbers = static_cast<size_t>(kMaxGivenFloats)});
    if (value) {
      check_value(*value);
    } else {
      require(value.reason().code == Code::kArrayForm);
    }
  }
}

}  // namespace
}  // namespace onnx_shapes

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer names it
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const uint8_t> bytes(data, size);
  const onnx_shapes::MappedFile file = onnx_shapes::MappedFile::borrow(bytes, "fuzz");
  onnx_shapes::read_archive(file);
  onnx_shapes::read_array(bytes);
  onnx_shapes::read_message(file);
  return 0;
}
