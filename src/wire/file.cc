// Opens, maps and spools input files.
#include "wire/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "wire/descriptor.h"

namespace onnx_shapes {
namespace {

constexpr size_t kSpoolBuffer = size_t{1} << 20;
/// A page that is read brings in those around it, so far as the system has them; more than Linux's
/// default of 64 KiB. They lie before a range, too, that is read after the one before was released.
constexpr uint64_t kNeighbours = uint64_t{256} << 10U;

Failure<Finding> unreadable(const std::string& path, const std::string& why,
                            std::string help = {}) {
  Place place;
  place.file = path;
  return Failure{make_finding(Code::kFileUnreadable, std::move(place), "cannot read: " + why,
                              std::move(help))};
}

Failure<Finding> unreadable(const std::string& path, int error) {
  return unreadable(path, std::strerror(error));
}

int64_t nanoseconds(const struct stat& status) {
  return int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

/// A file without a name; in memory where no folder for temporary files can be written.
Descriptor unnamed_file() {
  const char* folder = std::getenv("TMPDIR");
  const std::string base = folder != nullptr && *folder != '\0' ? folder : "/tmp";
  Descriptor file{::open(base.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)};
  if (file.valid()) return file;
  std::string name = base + "/onnx-shapes-XXXXXX";
  file = Descriptor{::mkostemp(name.data(), O_CLOEXEC)};
  if (file.valid()) {
    ::unlink(name.c_str());
    return file;
  }
  return Descriptor{::memfd_create("onnx-shapes", MFD_CLOEXEC)};
}

/// Copies all that can be read from `from` to an unnamed file.
Expected<Descriptor> spool(int from, const std::string& path) {
  Descriptor file = unnamed_file();
  if (!file.valid()) return unreadable(path, errno);
  std::vector<char> buffer(kSpoolBuffer);
  while (true) {
    const ssize_t got = ::read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unreadable(path, errno);
    if (got == 0) return file;
    if (!write_all(file.get(), buffer.data(), static_cast<size_t>(got))) {
      return unreadable(path,
                        std::string("no room for a temporary copy of it: ") + std::strerror(errno),
                        "set TMPDIR to a folder with enough room");
    }
  }
}

}  // namespace

Expected<MappedFile> MappedFile::open(const std::string& path) {
  const bool standard_input = path == "-";
  Descriptor file{standard_input ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                                 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)};
  const std::string name = standard_input ? "<stdin>" : path;
  if (!file.valid()) {
    if (errno == ENOENT) return unreadable(name, "there is no such file");
    return unreadable(name, errno);
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return unreadable(name, errno);
  if (S_ISDIR(status.st_mode)) {
    return unreadable(name, "it is a folder", "name the model file inside it");
  }
  if (S_ISREG(status.st_mode) && ::lseek(file.get(), 0, SEEK_CUR) == 0) {
    return map(file.take(), name);
  }
  if (::isatty(file.get()) == 1) {
    return unreadable(name, "it is a terminal", "pipe a model into it, or name a file");
  }
  if (S_ISBLK(status.st_mode) || (S_ISCHR(status.st_mode) && !standard_input)) {
    return unreadable(name, "it is a device");
  }
  Expected<Descriptor> copy = spool(file.get(), name);
  if (!copy) return Failure{std::move(copy).reason()};
  return map(copy->take(), name);
}

Expected<MappedFile> MappedFile::map(int descriptor, const std::string& path) {
  MappedFile result;
  result.descriptor_ = descriptor;
  result.path_ = path;
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return unreadable(path, errno);
  result.modified_ = nanoseconds(status);
  const auto size = static_cast<size_t>(status.st_size);
  if (size == 0) return result;
  void* pages = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (pages == MAP_FAILED) return unreadable(path, errno);
  // Read-ahead would bring in the weights between the fields that are wanted. Small files are read
  // nearly whole anyway.
  if (size > kSpoolBuffer) ::madvise(pages, size, MADV_RANDOM);
  result.bytes_ = {static_cast<const uint8_t*>(pages), size};
  result.mapped_ = true;
  return result;
}

MappedFile MappedFile::borrow(std::span<const uint8_t> bytes, std::string name) {
  MappedFile result;
  result.bytes_ = bytes;
  result.path_ = std::move(name);
  return result;
}

MappedFile::MappedFile(MappedFile&& other) noexcept { *this = std::move(other); }

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(mapped_, other.mapped_);
  std::swap(modified_, other.modified_);
  return *this;
}

MappedFile::~MappedFile() {
  if (mapped_) ::munmap(const_cast<uint8_t*>(bytes_.data()), bytes_.size());
  if (descriptor_ >= 0) ::close(descriptor_);
}

void MappedFile::release(uint64_t offset, uint64_t size) const {
  if (!mapped_) return;  // borrowed bytes would be lost
  const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  const uint64_t begin = (offset - std::min(offset, kNeighbours)) / page * page;
  const uint64_t end = (offset + size) / page * page;
  if (begin >= end) return;
  ::madvise(const_cast<uint8_t*>(bytes_.data()) + begin, end - begin, MADV_DONTNEED);
}

bool MappedFile::unchanged() const {
  if (descriptor_ < 0) return true;
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) return false;
  return static_cast<uint64_t>(status.st_size) == bytes_.size() && nanoseconds(status) == modified_;
}

}  // namespace onnx_shapes
