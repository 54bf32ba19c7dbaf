// The entries of a zip archive, as .npz files have them (PKWARE's APPNOTE 6.3, with zip64).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diag/finding.h"
#include "wire/file.h"

namespace onnx_shapes {

struct ZipEntry {
  std::string name;
  uint16_t method = 0;  // 0: stored, 8: deflated
  bool encrypted = false;
  uint64_t offset = 0;      // of the local header
  uint64_t compressed = 0;  // bytes in the file
  uint64_t size = 0;        // bytes of the contents
  uint32_t checksum = 0;    // CRC-32 of the contents
};

/// The entries by the central directory, at most kMaxZipEntries; SHP701 if there is none, or if it
/// points past the file.
[[nodiscard]] Expected<std::vector<ZipEntry>> zip_entries(const MappedFile& file);
constexpr size_t kMaxZipEntries = 100'000;

/// The first `limit` bytes of the contents, fewer if there are fewer; SHP706 if they cannot be
/// read, or are all of them and not those of the check sum. Of a deflated entry no more is inflated
/// than that.
[[nodiscard]] Expected<std::vector<uint8_t>> zip_contents(const MappedFile& file,
                                                          const ZipEntry& entry, size_t limit);

}  // namespace onnx_shapes
