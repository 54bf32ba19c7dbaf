// Temporary files, renames and what can go wrong with them.
#include "wire/output.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

namespace onnx_shapes {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXFSZ};
constexpr mode_t kModeBits = 07777;
constexpr int kNameTries = 100;

bool same_file(int descriptor, const struct stat& status) {
  struct stat other {};
  return descriptor >= 0 && ::fstat(descriptor, &other) == 0 && S_ISREG(other.st_mode) &&
         other.st_dev == status.st_dev && other.st_ino == status.st_ino;
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string random_name() {
  constexpr char kLetters[] = "abcdefghijklmnopqrstuvwxyz012345";
  uint8_t bytes[10] = {};
  (void)!::getrandom(bytes, sizeof bytes, GRND_NONBLOCK);  // a clash only means another try
  std::string name = "/.onnx-shapes-";
  for (const uint8_t byte : bytes) name += kLetters[byte % 32];
  return name;
}

std::string name_of(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

constexpr const char* kInPlaceHelp = "say --in-place to replace it, or name another file";

}  // namespace

SignalBlock::SignalBlock() {
  ::sigemptyset(&held_);
  for (const int signal : kSignals) ::sigaddset(&held_, signal);
  ::pthread_sigmask(SIG_BLOCK, &held_, &before_);
}

SignalBlock::~SignalBlock() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

bool SignalBlock::pending() const {
  sigset_t waiting;
  if (::sigpending(&waiting) != 0) return false;
  for (const int signal : kSignals) {
    if (::sigismember(&waiting, signal) == 1 && ::sigismember(&before_, signal) == 0) return true;
  }
  return false;
}

bool leads_to(const std::string& path, int descriptor) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && same_file(descriptor, status);
}

Expected<void> OutputFile::open(const OutputOptions& options) {
  shown_ = options.path;
  sync_ = options.replace_source;
  if (options.path == "-" || options.path == "/dev/stdout") return open_stream(options);
  struct stat status {};
  if (::stat(options.path.c_str(), &status) != 0) {
    if (errno != ENOENT || options.path.empty()) return Failure{unwritable(errno)};
    if (::lstat(options.path.c_str(), &status) == 0) {
      return Failure{unwritable("it is a symbolic link to a file that is not there")};
    }
    if (options.path.back() == '/') return Failure{unwritable("there is no such folder")};
    target_ = options.path;
    return open_temporary(options.named_temporary);
  }
  if (S_ISDIR(status.st_mode)) {
    return Failure{unwritable("it is a folder", "name the file inside it")};
  }
  if (!S_ISREG(status.st_mode)) return open_stream(options);
  if (!options.replace_source && same_file(options.source, status)) {
    return Failure{unwritable("it is the file that is being read", kInPlaceHelp)};
  }
  // The rename would succeed, but a file without write permission is meant to stay.
  if (::access(options.path.c_str(), W_OK) != 0) return Failure{unwritable(errno)};
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(options.path.c_str(), nullptr),
                                                         &std::free);
  if (real == nullptr) return Failure{unwritable(errno)};
  target_ = real.get();
  existing_ = Existing{status.st_mode & kModeBits, status.st_uid, status.st_gid};
  return open_temporary(options.named_temporary);
}

Expected<void> OutputFile::open_stream(const OutputOptions& options) {
  stream_ = true;
  const bool standard_output = options.path == "-" || options.path == "/dev/stdout";
  if (standard_output) shown_ = "<stdout>";
  file_ =
      Descriptor{standard_output ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
                                 : ::open(options.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY)};
  if (!file_.valid()) return Failure{unwritable(errno)};
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) return Failure{unwritable(errno)};
  if (same_file(options.source, status)) {
    return Failure{unwritable("it is the file that is being read", kInPlaceHelp)};
  }
  return {};
}

Expected<void> OutputFile::open_temporary(bool named) {
  folder_ = folder_of(target_);
  if (!named) {
    file_ = Descriptor{::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666)};
    // Without /proc the file could not be given its name.
    if (file_.valid() && ::access(name_of(file_.get()).c_str(), F_OK) == 0) return {};
    const bool unsupported =
        file_.valid() || errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL;
    if (!unsupported) return Failure{unwritable(errno)};
  }
  if (!create_named()) return Failure{unwritable(errno)};
  return {};
}

/// Creates the temporary file under a name. False, with errno set, on failure.
bool OutputFile::create_named() {
  signals_.emplace();
  for (int i = 0; i < kNameTries; ++i) {
    const std::string name = folder_ + random_name();
    file_ = Descriptor{::open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666)};
    if (file_.valid()) {
      temporary_ = name;
      return true;
    }
    if (errno != EEXIST) break;
  }
  signals_.reset();
  return false;
}

/// Gives an unnamed temporary file a name. False, with errno set, on failure.
bool OutputFile::give_name() {
  if (!temporary_.empty()) return true;
  signals_.emplace();
  for (int i = 0; i < kNameTries; ++i) {
    const std::string name = folder_ + random_name();
    if (::linkat(AT_FDCWD, name_of(file_.get()).c_str(), AT_FDCWD, name.c_str(),
                 AT_SYMLINK_FOLLOW) == 0) {
      temporary_ = name;
      return true;
    }
    if (errno != EEXIST) break;
  }
  return false;
}

Expected<void> OutputFile::commit() {
  if (!stream_) {
    if (existing_) {
      // The owner can be kept only by root, and where it cannot the file is still right.
      (void)!::fchown(file_.get(), existing_->owner, existing_->group);
      if (::fchmod(file_.get(), existing_->mode) != 0) return Failure{unwritable(errno)};
    }
    if (sync_ && ::fsync(file_.get()) != 0) return Failure{unwritable(errno)};
    if (!give_name()) return Failure{unwritable(errno)};
  }
  // Some file systems report a failed write only now.
  if (!file_.close()) return Failure{unwritable(errno)};
  if (stream_) return {};
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) return Failure{unwritable(errno)};
  temporary_.clear();
  signals_.reset();
  if (sync_) {
    const Descriptor folder{::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    // The new file is in place; that its name might not survive a power cut is no failure.
    if (folder.valid()) (void)!::fsync(folder.get());
  }
  return {};
}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Finding OutputFile::unwritable(int error) const {
  std::string help;
  if (error == ENOSPC || error == EDQUOT) {
    help = "make room, or write to another disk";
  } else if ((error == EACCES || error == EROFS || error == EPERM) && !stream_) {
    help = "the file, and the folder it is in, must be writable";
  }
  return unwritable(std::strerror(error), std::move(help));
}

Finding OutputFile::unwritable(const std::string& why, std::string help) const {
  Place place;
  place.file = shown_;
  return make_finding(Code::kFileUnwritable, std::move(place), "cannot write: " + why,
                      std::move(help));
}

}  // namespace onnx_shapes
