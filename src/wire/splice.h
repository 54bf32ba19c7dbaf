// Writes a copy of a file in which some sub-messages are replaced, removed or added. Every other
// byte is copied as it is; only the length prefixes around a change are computed anew.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wire/file.h"
#include "wire/walk.h"

namespace onnx_shapes {

/// One change inside a message. Changes do not overlap, and none lies inside another; those that
/// insert at the same place go in the order of the list.
struct Edit {
  uint32_t message = 0;     // index into WireIndex::messages of the message directly around
  Span replaced;            // whole fields; size 0 inserts before `offset`
  std::string replacement;  // complete field bytes (tag, length, content); empty removes
};

/// Where the result goes.
struct WriteOptions {
  /// `-` is standard output. A pipe or device is written to; a symbolic link is followed.
  std::string path;
  /// The path may be the source itself, and the bytes are on the disk before they replace it.
  bool in_place = false;
};

/// The size that the result will have.
[[nodiscard]] uint64_t spliced_size(const WireIndex& index, const std::vector<Edit>& edits);

/// Writes to a temporary file beside the target and renames it over the target, keeping an
/// existing target's mode. On any failure (SHP004), and on SIGINT and SIGTERM, the target is as it
/// was and no temporary file is left. A target that is the source, under whatever name, is refused
/// unless in_place; in place and without changes nothing is written. Changes that overlap or leave
/// their message are a fault of the caller (SHP901).
[[nodiscard]] Expected<void> splice(const MappedFile& source, const WireIndex& index,
                                    const std::vector<Edit>& edits, const WriteOptions& options);

}  // namespace onnx_shapes
