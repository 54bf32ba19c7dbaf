// A file that appears whole or not at all.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <optional>
#include <string>

#include "diag/finding.h"
#include "wire/descriptor.h"

namespace onnx_shapes {

/// Holds back, while it lives, the signals by which people and systems end a process.
class SignalBlock {
 public:
  SignalBlock();
  SignalBlock(const SignalBlock&) = delete;
  SignalBlock& operator=(const SignalBlock&) = delete;
  ~SignalBlock();

  /// Whether one of them waits.
  [[nodiscard]] bool pending() const;

 private:
  sigset_t held_;
  sigset_t before_;
};

/// Whether the path leads to the file that the descriptor has open.
[[nodiscard]] bool leads_to(const std::string& path, int descriptor);

struct OutputOptions {
  std::string path;              // `-` is standard output
  int source = -1;               // the file that must not be the target; -1: none
  bool replace_source = false;   // the target may be the source; sync before the rename
  bool named_temporary = false;  // even where the file system can do without a name
};

/// Where a result is written: a temporary file in the target's folder that commit() renames over
/// the target, or at once standard output, a pipe or a device. The temporary has no name where the
/// file system can do that; where it cannot, signals wait until the name is gone.
class OutputFile {
 public:
  /// Failures are findings (SHP004), here and in commit().
  Expected<void> open(const OutputOptions& options);
  OutputFile() = default;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// Without commit() no temporary file is left, and the target is as it was.
  ~OutputFile();

  [[nodiscard]] int descriptor() const { return file_.get(); }
  /// Whether a signal waits for this file to be given up.
  [[nodiscard]] bool interrupted() const { return signals_ && signals_->pending(); }
  Expected<void> commit();
  /// The finding for a failed write.
  [[nodiscard]] Finding unwritable(int error) const;

 private:
  /// Of the target that is there already.
  struct Existing {
    mode_t mode = 0;
    uid_t owner = 0;
    gid_t group = 0;
  };

  Expected<void> open_stream(const OutputOptions& options);
  Expected<void> open_temporary(bool named);
  [[nodiscard]] bool create_named();
  [[nodiscard]] bool give_name();
  [[nodiscard]] Finding unwritable(const std::string& why, std::string help = {}) const;

  std::string shown_;   // the target as the user wrote it
  std::string target_;  // with symbolic links resolved
  std::string folder_;
  std::string temporary_;  // empty while the file has no name, and for streams
  std::optional<Existing> existing_;
  Descriptor file_;
  bool stream_ = false;
  bool sync_ = false;
  std::optional<SignalBlock> signals_;
};

}  // namespace onnx_shapes
