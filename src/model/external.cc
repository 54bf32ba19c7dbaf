// Finds and reads external data files. A location is refused as text first (absolute, `..`), then
// by where it really is once symbolic links are resolved; reading follows no link at all.
#include "model/external.h"

#include <fcntl.h>
#include <onnx/onnx_pb.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "model/state.h"

namespace onnx_shapes {
namespace {

std::string quoted(std::string_view text) { return "'" + shortened(text, 200) + "'"; }

Failure<ExternalFault> outside(const std::string& location, std::string_view why) {
  return Failure{ExternalFault{Code::kExternalDataPath,
                               "external data location " + quoted(location) + " " +
                                   std::string(why) + ": it leaves the model's folder",
                               "keep the data file in the model's folder or below it"}};
}

Failure<ExternalFault> unreadable(const std::string& location, std::string_view why) {
  return Failure{ExternalFault{Code::kExternalDataMissing,
                               "external data file " + quoted(location) + " " + std::string(why),
                               "put the data file beside the model"}};
}

// Numbers are written as decimal text. Those that do not fit 64 bits are no numbers.
std::optional<uint64_t> parse_number(const std::string& text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The next component of a path; advances past it and the slashes behind it.
std::string_view next_component(std::string_view& path) {
  const size_t end = std::min(path.find('/'), path.size());
  const std::string_view component = path.substr(0, end);
  path.remove_prefix(std::min(path.find_first_not_of('/', end), path.size()));
  return component;
}

std::optional<std::string> real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> resolved(::realpath(path.c_str(), nullptr),
                                                        std::free);
  if (!resolved) return std::nullopt;
  return std::string(resolved.get());
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }
  void reset(int fd) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_;
};

// Opens component by component and follows no link, so that a link put there since the look-up
// does not lead outside.
int open_below(const std::string& folder, std::string_view inner_path) {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  Descriptor at(::open(folder.c_str(), kFlags | O_DIRECTORY));
  while (at.get() >= 0 && !inner_path.empty()) {
    const std::string component(next_component(inner_path));
    const int folder_flag = inner_path.empty() ? 0 : O_DIRECTORY;
    at.reset(::openat(at.get(), component.c_str(), kFlags | folder_flag));
  }
  return ::dup(at.get());
}

bool read_fully(int fd, uint64_t offset, std::vector<uint8_t>& bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got =
        ::pread(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<size_t>(got);
  }
  return true;
}

}  // namespace

std::optional<std::string> folder_of(const std::string& model_path) {
  if (model_path.empty() || model_path == "-" || model_path.front() == '<') return std::nullopt;
  const size_t slash = model_path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : model_path.substr(0, slash);
}

ExternalResult<ExternalReference> external_reference(const onnx::TensorProto& tensor) {
  ExternalReference reference;
  for (const onnx::StringStringEntryProto& entry : tensor.external_data()) {
    if (entry.key() == "location") {
      reference.location = entry.value();
    } else if (entry.key() == "offset" || entry.key() == "length") {
      const auto number = parse_number(entry.value());
      if (!number) {
        return Failure{ExternalFault{Code::kExternalDataRange,
                                     "external data has the " + entry.key() + " " +
                                         quoted(entry.value()) + ", which is not a byte count",
                                     "write the offset and length as decimal numbers"}};
      }
      (entry.key() == "offset" ? reference.offset : reference.length.emplace()) = *number;
    }
  }
  if (reference.location.empty()) {
    return Failure{ExternalFault{Code::kExternalDataMissing,
                                 "external data has no location, so there is no file to read",
                                 "set external_data's 'location'"}};
  }
  return reference;
}

ExternalResult<ExternalFolder::Entry> ExternalFolder::find(const std::string& location) const {
  if (location.find('\0') != std::string::npos) return outside(location, "holds a zero byte");
  if (location.front() == '/') return outside(location, "is an absolute path");
  for (std::string_view rest = location; !rest.empty();) {
    if (next_component(rest) == "..") return outside(location, "goes up with '..'");
  }
  if (!folder_) {
    return unreadable(location, "cannot be found: a model from standard input has no folder");
  }
  if (real_folder_.empty()) real_folder_ = real_path(*folder_).value_or("");
  if (real_folder_.empty()) return unreadable(location, "cannot be found");
  const auto resolved = real_path(real_folder_ + "/" + location);
  if (!resolved) return unreadable(location, "cannot be read: " + std::string(strerror(errno)));
  const std::string inside = real_folder_ == "/" ? "/" : real_folder_ + "/";
  if (!resolved->starts_with(inside)) return outside(location, "is a symbolic link");
  struct stat status {};
  if (::stat(resolved->c_str(), &status) != 0) {
    return unreadable(location, "cannot be read: " + std::string(strerror(errno)));
  }
  if (!S_ISREG(status.st_mode)) return unreadable(location, "is not a regular file");
  return Entry{.inner_path = resolved->substr(inside.size()),
               .size = static_cast<uint64_t>(status.st_size)};
}

const ExternalResult<ExternalFolder::Entry>& ExternalFolder::look_up(
    const std::string& location) const {
  const auto known = entries_.find(location);
  if (known != entries_.end()) return known->second;
  return entries_.emplace(location, find(location)).first->second;
}

ExternalResult<uint64_t> ExternalFolder::size_of(const std::string& location) const {
  const ExternalResult<Entry>& entry = look_up(location);
  if (!entry) return Failure{entry.reason()};
  return entry.value().size;
}

ExternalResult<void> ExternalFolder::check_range(const std::string& location, uint64_t offset,
                                                 uint64_t length) const {
  const auto size = size_of(location);
  if (!size) return Failure{size.reason()};
  uint64_t end = 0;
  const bool overflow = __builtin_add_overflow(offset, length, &end);
  if (!overflow && end <= size.value()) return {};
  const std::string range =
      "external data of " + std::to_string(length) + " bytes at offset " + std::to_string(offset);
  const std::string past = overflow ? " (offset plus length overflows 64 bits)" : "";
  return Failure{ExternalFault{Code::kExternalDataRange,
                               range + " is past the end of " + quoted(location) + ", which has " +
                                   std::to_string(size.value()) + " bytes" + past,
                               "the data file is truncated or belongs to another model"}};
}

ExternalResult<std::vector<uint8_t>> ExternalFolder::read(const std::string& location,
                                                          uint64_t offset, uint64_t length) const {
  if (auto range = check_range(location, offset, length); !range) return Failure{range.reason()};
  const Descriptor file(open_below(real_folder_, look_up(location).value().inner_path));
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return unreadable(location, "cannot be opened");
  }
  std::vector<uint8_t> bytes(length);
  if (!read_fully(file.get(), offset, bytes)) return unreadable(location, "cannot be read");
  return bytes;
}

}  // namespace onnx_shapes
