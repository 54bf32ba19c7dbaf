// Writes a copy of a file in which some sub-messages are replaced, removed or added. Every other
// byte is copied as it is; only the length prefixes around a change are computed anew.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "wire/file.h"
#include "wire/walk.h"

namespace onnx_shapes {

/// One change inside a message. `at` is where the replaced field starts, or where a new one is put:
/// changes of one message do not overlap.
struct Edit {
  uint32_t message = 0;      // index into WireIndex::messages of the message directly around
  Span replaced;             // the whole field; size 0 inserts before `offset`
  std::string replacement;   // complete field bytes (tag, length, content); empty removes
};

/// Where the result goes.
struct WriteOptions {
  std::string path;          // `-` is standard output
  bool in_place = false;     // sync before the rename; without it, path must not be the input
};

/// The size that the result will have.
[[nodiscard]] uint64_t spliced_size(const WireIndex& index, const std::vector<Edit>& edits);

/// Writes to a temporary file beside the target and renames it over the target, keeping an
/// existing target's mode. On any failure, and on SIGINT and SIGTERM, the target is as it was
/// and no temporary file is left.
[[nodiscard]] Expected<void> splice(const MappedFile& source, const WireIndex& index,
                                    const std::vector<Edit>& edits, const WriteOptions& options);

}  // namespace onnx_shapes
