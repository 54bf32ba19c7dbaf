// The bytes of a file, mapped for reading.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "diag/finding.h"

namespace onnx_shapes {

/// A file's bytes, mapped read-only; pages that nobody reads are never touched. `-` is standard
/// input; what cannot be mapped (pipes) is spooled to an unnamed temporary file first.
class MappedFile {
 public:
  /// Directories, devices, missing and unreadable files are findings (SHP001). An empty file is
  /// not: walk() says what is wrong with it.
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

  /// Tells the system that pages of this range, and some before it, are not needed for now, so that
  /// they no longer count as this process's memory. They can still be read.
  void release(uint64_t offset, uint64_t size) const;
  /// Whether the file on disk is still the one that was opened, as far as size and time tell.
  [[nodiscard]] bool unchanged() const;

 private:
  MappedFile() = default;
  static Expected<MappedFile> map(int descriptor, const std::string& path);

  std::span<const uint8_t> bytes_;
  std::string path_;
  int descriptor_ = -1;
  bool mapped_ = false;
  int64_t modified_ = 0;  // time of the last change, in nanoseconds
};

}  // namespace onnx_shapes
