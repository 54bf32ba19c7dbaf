#include "check/zip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <span>

#include "check/inputs.h"

namespace onnx_shapes {
namespace {

// Signatures and fixed sizes of the records (APPNOTE 4.3.7, 4.3.12, 4.3.14 to 4.3.16).
constexpr uint32_t kLocalHeader = 0x04034B50;
constexpr uint32_t kDirectoryHeader = 0x02014B50;
constexpr uint32_t kEnd = 0x06054B50;
constexpr uint32_t kEnd64 = 0x06064B50;
constexpr uint32_t kEnd64Locator = 0x07064B50;
constexpr size_t kLocalSize = 30;
constexpr size_t kDirectorySize = 46;
constexpr size_t kEndSize = 22;
constexpr size_t kEnd64Size = 56;
constexpr size_t kLocatorSize = 20;
constexpr size_t kMaxComment = 0xFFFF;
// No deflated data is more than this times as long inflated (RFC 1951: 258 bytes by 2 bits).
constexpr uint64_t kMaxRatio = 1032;
constexpr uint32_t kIn64 = 0xFFFFFFFF;  // the number stands in the zip64 field

using Bytes = std::span<const uint8_t>;

uint64_t number(Bytes bytes, size_t at, size_t width) {
  uint64_t value = 0;
  for (size_t i = 0; i < width; ++i) value |= uint64_t{bytes[at + i]} << (8 * i);
  return value;
}

bool has_signature(Bytes bytes, uint64_t at, size_t size, uint32_t signature) {
  return at <= bytes.size() && bytes.size() - at >= size && number(bytes, at, 4) == signature;
}

Failure<Finding> unreadable(const MappedFile& file, std::string what) {
  return Failure{make_finding(Code::kInputsUnreadable, place_in(file.path()), std::move(what),
                              "write the file again: it is no complete zip archive")};
}

Failure<Finding> bad_entry(const MappedFile& file, const ZipEntry& entry, std::string_view what) {
  return Failure{make_finding(Code::kArrayForm, place_in(file.path(), entry.name),
                              fmt::format("the array '{}' cannot be read: {}", entry.name, what))};
}

/// Where the directory is and how many entries it has.
struct Directory {
  uint64_t offset = 0;
  uint64_t count = 0;
};

std::optional<Directory> find_directory(Bytes bytes) {
  if (bytes.size() < kEndSize) return std::nullopt;
  const size_t last = bytes.size() - kEndSize;
  const size_t first = last - std::min(last, kMaxComment);
  for (size_t at = last + 1; at-- > first;) {
    if (number(bytes, at, 4) != kEnd) continue;
    Directory found{.offset = number(bytes, at + 16, 4), .count = number(bytes, at + 10, 2)};
    if (at >= kLocatorSize &&
        has_signature(bytes, at - kLocatorSize, kLocatorSize, kEnd64Locator)) {
      const uint64_t end = number(bytes, at - kLocatorSize + 8, 8);
      if (!has_signature(bytes, end, kEnd64Size, kEnd64)) return std::nullopt;
      found = {.offset = number(bytes, end + 48, 8), .count = number(bytes, end + 32, 8)};
    }
    return found;
  }
  return std::nullopt;
}

/// Takes from the zip64 extra field what the directory leaves to it (APPNOTE 4.5.3).
void read_extra(Bytes extra, ZipEntry& entry) {
  size_t at = 0;
  while (extra.size() - at >= 4) {
    const uint64_t id = number(extra, at, 2);
    const uint64_t size = number(extra, at + 2, 2);
    at += 4;
    if (size > extra.size() - at) return;
    if (id == 1) {
      size_t field = at;
      for (uint64_t* value : {&entry.size, &entry.compressed, &entry.offset}) {
        if (*value != kIn64) continue;
        if (at + size - field < 8) return;
        *value = number(extra, field, 8);
        field += 8;
      }
    }
    at += size;
  }
}

Expected<std::vector<uint8_t>> inflated(const MappedFile& file, const ZipEntry& entry, Bytes data,
                                        size_t limit) {
  std::vector<uint8_t> contents(static_cast<size_t>(std::min<uint64_t>(limit, entry.size)));
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return bad_entry(file, entry, "zlib fails");
  stream.next_out = contents.data();
  stream.avail_out = static_cast<uInt>(contents.size());
  int status = Z_OK;
  while (status == Z_OK && stream.avail_out > 0) {
    if (stream.avail_in == 0) {
      if (data.empty()) break;
      const Bytes part = data.first(std::min<size_t>(data.size(), 1U << 20U));
      // zlib does not write through next_in, but older headers lack the const.
      stream.next_in = const_cast<Bytef*>(part.data());  // NOLINT(*-const-cast)
      stream.avail_in = static_cast<uInt>(part.size());
      data = data.subspan(part.size());
    }
    status = inflate(&stream, Z_NO_FLUSH);
  }
  const size_t missing = stream.avail_out;
  inflateEnd(&stream);
  if (missing > 0) return bad_entry(file, entry, "its compressed data is damaged or cut off");
  return contents;
}

Expected<std::vector<uint8_t>> unchecked_contents(const MappedFile& file, const ZipEntry& entry,
                                                  size_t limit) {
  const Bytes bytes = file.bytes();
  if (entry.encrypted) return bad_entry(file, entry, "it is encrypted");
  if (!has_signature(bytes, entry.offset, kLocalSize, kLocalHeader)) {
    return bad_entry(file, entry, "its header is not where the archive's directory says");
  }
  // The local header's own name and extra field may have other lengths than the directory's.
  const uint64_t skip =
      kLocalSize + number(bytes, entry.offset + 26, 2) + number(bytes, entry.offset + 28, 2);
  const uint64_t left = bytes.size() - entry.offset;
  if (left < skip || left - skip < entry.compressed) {
    return bad_entry(file, entry, "its data goes past the end of the file");
  }
  const Bytes data = bytes.subspan(static_cast<size_t>(entry.offset + skip),
                                   static_cast<size_t>(entry.compressed));
  if (entry.method == 8) {
    if (entry.size / kMaxRatio > entry.compressed) {
      return bad_entry(file, entry, "it cannot be as long as the archive's directory says");
    }
    return inflated(file, entry, data, limit);
  }
  if (entry.method != 0) {
    return bad_entry(file, entry, fmt::format("compression method {} is not read", entry.method));
  }
  if (entry.size != entry.compressed) {
    return bad_entry(file, entry, "the archive's directory gives it two sizes");
  }
  const Bytes part = data.first(std::min(limit, data.size()));
  return std::vector<uint8_t>(part.begin(), part.end());
}

}  // namespace

Expected<std::vector<ZipEntry>> zip_entries(const MappedFile& file) {
  const Bytes bytes = file.bytes();
  const std::optional<Directory> directory = find_directory(bytes);
  if (!directory) return unreadable(file, "the archive has no directory: it is cut off or no .npz");
  std::vector<ZipEntry> entries;
  uint64_t at = directory->offset;
  for (uint64_t i = 0; i < directory->count; ++i) {
    if (entries.size() == kMaxZipEntries ||
        !has_signature(bytes, at, kDirectorySize, kDirectoryHeader)) {
      return unreadable(file, fmt::format("the archive's directory is damaged at entry {}", i));
    }
    const uint64_t name = number(bytes, at + 28, 2);
    const uint64_t extra = number(bytes, at + 30, 2);
    const uint64_t comment = number(bytes, at + 32, 2);
    if (bytes.size() - at - kDirectorySize < name + extra + comment) {
      return unreadable(file, fmt::format("the archive's directory is cut off at entry {}", i));
    }
    ZipEntry entry;
    const Bytes tail = bytes.subspan(static_cast<size_t>(at + kDirectorySize));
    entry.name.assign(tail.begin(), tail.begin() + static_cast<std::ptrdiff_t>(name));
    entry.encrypted = (number(bytes, at + 8, 2) & 1U) != 0;
    entry.method = static_cast<uint16_t>(number(bytes, at + 10, 2));
    entry.checksum = static_cast<uint32_t>(number(bytes, at + 16, 4));
    entry.compressed = number(bytes, at + 20, 4);
    entry.size = number(bytes, at + 24, 4);
    entry.offset = number(bytes, at + 42, 4);
    read_extra(tail.subspan(static_cast<size_t>(name), static_cast<size_t>(extra)), entry);
    entries.push_back(std::move(entry));
    at += kDirectorySize + name + extra + comment;
  }
  return entries;
}

Expected<std::vector<uint8_t>> zip_contents(const MappedFile& file, const ZipEntry& entry,
                                            size_t limit) {
  Expected<std::vector<uint8_t>> contents = unchecked_contents(file, entry, limit);
  if (!contents || contents->size() < entry.size) return contents;
  const uLong sum = crc32(0, contents->data(), static_cast<uInt>(contents->size()));
  if (sum != entry.checksum) return bad_entry(file, entry, "its data does not have its check sum");
  return contents;
}

}  // namespace onnx_shapes
