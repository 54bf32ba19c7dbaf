// Bytes of a file: mapped for reading, replaced atomically on writing.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "diag/finding.h"

namespace onnx_shapes {

/// A file's bytes, mapped read-only; pages that nobody reads are never touched. `-` is standard
/// input, which is read whole (and spooled to an unnamed temporary file when it is large).
class MappedFile {
 public:
  /// Directories, missing and unreadable files are findings (SHP001).
  static Expected<MappedFile> open(const std::string& path);
  /// Bytes that the caller keeps alive.
  static MappedFile borrow(std::span<const uint8_t> bytes, std::string name);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  [[nodiscard]] std::span<const uint8_t> bytes() const { return bytes_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// The descriptor for range copies, or -1 for borrowed bytes.
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  MappedFile() = default;
  std::span<const uint8_t> bytes_;
  std::string path_;
  int descriptor_ = -1;
  bool mapped_ = false;
};

}  // namespace onnx_shapes
