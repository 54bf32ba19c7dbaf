// Opening what can be named as a file.
#include "wire/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/catch.h"
#include "tests/wire/folder.h"
#include "tests/wire/run_apart.h"
#include "wire/descriptor.h"

namespace onnx_shapes {
namespace {

using test::Folder;
using test::run_apart;

std::string_view text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

std::string fault(const std::string& path) {
  const Expected<MappedFile> file = MappedFile::open(path);
  REQUIRE(!file.ok());
  CHECK(file.reason().code == Code::kFileUnreadable);
  CHECK(file.reason().place.file == path);
  return file.reason().message;
}

}  // namespace

TEST_CASE("A file's bytes are mapped, also of an empty one") {
  const Folder folder;
  for (const std::string& content :
       {std::string(), std::string("abc"), std::string(3'000'000, 'x')}) {
    const std::string path = folder.write("f", content);
    const Expected<MappedFile> file = MappedFile::open(path);
    REQUIRE(file.ok());
    CHECK(text_of(*file) == content);
    CHECK(file->path() == path);
    CHECK(file->descriptor() >= 0);
  }
}

TEST_CASE("What is no file is a finding") {
  const Folder folder;
  CHECK_THAT(fault(folder / "missing"), Catch::Matchers::ContainsSubstring("no such file"));
  CHECK_THAT(fault(folder.path()), Catch::Matchers::ContainsSubstring("folder"));
  CHECK_THAT(fault("/dev/null"), Catch::Matchers::ContainsSubstring("device"));
  CHECK_THAT(fault("/dev/zero"), Catch::Matchers::ContainsSubstring("device"));
  fault("");
  fault(folder / std::string(300, 'n'));
}

TEST_CASE("A pipe is read to its end, by name and as standard input") {
  const Folder folder;
  const std::string content(200'000, 'p');  // more than a pipe holds at once
  const std::string pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const bool standard_input = GENERATE(false, true);
  const int status = run_apart([&] {
    const pid_t writer = ::fork();
    if (writer == 0) {
      const Descriptor out{::open(pipe.c_str(), O_WRONLY)};
      ::_exit(write_all(out.get(), content.data(), content.size()) ? 0 : 1);
    }
    if (standard_input) {
      const int in = ::open(pipe.c_str(), O_RDONLY);
      if (in < 0 || ::dup2(in, STDIN_FILENO) < 0) return 1;
    }
    const Expected<MappedFile> file = MappedFile::open(standard_input ? "-" : pipe);
    if (!file) return 2;
    if (text_of(*file) != content) return 3;
    return file->path() == (standard_input ? "<stdin>" : pipe) ? 0 : 4;
  });
  CHECK(status == 0);
  CHECK(folder.names() == std::vector<std::string>{"pipe"});
}

TEST_CASE("Standard input that is a file is mapped") {
  const Folder folder;
  const std::string path = folder.write("f", "content");
  const int status = run_apart([&] {
    const int in = ::open(path.c_str(), O_RDONLY);
    if (in < 0 || ::dup2(in, STDIN_FILENO) < 0) return 1;
    const Expected<MappedFile> file = MappedFile::open("-");
    return file && text_of(*file) == "content" ? 0 : 2;
  });
  CHECK(status == 0);
}

TEST_CASE("Released bytes can still be read") {
  const Folder folder;
  const std::string content(100'000, 'r');
  const Expected<MappedFile> file = MappedFile::open(folder.write("f", content));
  REQUIRE(file.ok());
  file->release(0, content.size());
  file->release(5, 7);
  file->release(content.size(), 0);
  CHECK(text_of(*file) == content);

  const std::string bytes(100'000, 'b');
  const MappedFile borrowed =
      MappedFile::borrow({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, "name");
  borrowed.release(0, bytes.size());
  CHECK(text_of(borrowed) == bytes);
  CHECK(borrowed.descriptor() == -1);
  CHECK(borrowed.unchanged());
}

TEST_CASE("A change of the file on disk is noticed") {
  const Folder folder;
  const std::string path = folder.write("f", "content");
  const Expected<MappedFile> file = MappedFile::open(path);
  REQUIRE(file.ok());
  CHECK(file->unchanged());
  SECTION("by its size") {
    std::filesystem::resize_file(path, 100);
    CHECK(!file->unchanged());
  }
  SECTION("by its time") {
    const timespec times[2] = {{0, UTIME_OMIT}, {1'000'000'000, 0}};
    REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
    CHECK(!file->unchanged());
  }
}

TEST_CASE("A moved file is the same file") {
  const Folder folder;
  Expected<MappedFile> first = MappedFile::open(folder.write("a", "first"));
  Expected<MappedFile> second = MappedFile::open(folder.write("b", "second"));
  REQUIRE((first.ok() && second.ok()));
  MappedFile moved = *std::move(first);
  CHECK(text_of(moved) == "first");
  moved = *std::move(second);
  CHECK(text_of(moved) == "second");
}

}  // namespace onnx_shapes
