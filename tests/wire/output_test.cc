// What stands in the folder after writing, and after failing to.
#include "wire/output.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/wire/folder.h"
#include "tests/wire/run_apart.h"
#include "tests/wire/wire_tree.h"
#include "wire/file.h"
#include "wire/splice.h"
#include "wire/walk.h"

namespace onnx_shapes {
namespace {

using test::Folder;
using test::run_apart;
using Names = std::vector<std::string>;

const std::string& model_bytes() {
  static const std::string bytes = test::encode({test::message(
      test::model::kGraph, {test::text(test::graph::kDocString, std::string(400'000, 'd'))})});
  return bytes;
}

/// Copies a file, with this at its end.
Expected<void> copy(const std::string& from, const WriteOptions& options,
                    const std::string& appended = {}) {
  const Expected<MappedFile> file = MappedFile::open(from);
  REQUIRE(file.ok());
  const Expected<WireIndex> index = walk(*file, {});
  REQUIRE(index.ok());
  return splice(*file, *index, {{0, {file->bytes().size(), 0}, appended}}, options);
}

std::string fault(const Expected<void>& result) {
  return result ? "" : code_id(result.reason().code) + " " + result.reason().message;
}

mode_t mode_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

}  // namespace

TEST_CASE("A new file gets the mode that the umask leaves, an existing one keeps its own") {
  const Folder folder;
  const std::string in = folder.write("in.onnx", model_bytes());
  const mode_t before = ::umask(027);
  CHECK(fault(copy(in, {.path = folder / "new.onnx"})).empty());
  ::umask(before);
  CHECK(mode_of(folder / "new.onnx") == 0640);
  CHECK(folder.read("new.onnx") == model_bytes());

  const std::string old = folder.write("old.onnx", "old");
  REQUIRE(::chmod(old.c_str(), 0604) == 0);
  CHECK(fault(copy(in, {.path = old})).empty());
  CHECK(mode_of(old) == 0604);
  CHECK(folder.read("old.onnx") == model_bytes());
  CHECK(folder.names() == Names{"in.onnx", "new.onnx", "old.onnx"});
}

TEST_CASE("The source is overwritten only in place, whatever name it goes by") {
  const Folder folder;
  const std::string in = folder.write("in.onnx", model_bytes());
  std::filesystem::create_symlink("in.onnx", folder / "symbolic.onnx");
  std::filesystem::create_hard_link(in, folder / "hard.onnx");
  for (const std::string& path :
       {in, folder / "symbolic.onnx", folder / "hard.onnx", folder / "./in.onnx"}) {
    CHECK_THAT(fault(copy(in, {.path = path})), Catch::Matchers::ContainsSubstring("being read"));
  }
  CHECK(folder.read("in.onnx") == model_bytes());
  const WriteOptions in_place = {.path = folder / "symbolic.onnx", .in_place = true};
  CHECK(fault(copy(in, in_place, "\x08\x09")).empty());
  CHECK(std::filesystem::is_symlink(folder / "symbolic.onnx"));
  CHECK(folder.read("in.onnx") == model_bytes() + "\x08\x09");
  CHECK(folder.names() == Names{"hard.onnx", "in.onnx", "symbolic.onnx"});
}

TEST_CASE("In place and without changes the file is not even written") {
  const Folder folder;
  const std::string in = folder.write("in.onnx", model_bytes());
  std::filesystem::create_hard_link(in, folder / "other.onnx");
  CHECK(fault(copy(in, {.path = in, .in_place = true})).empty());
  // A file that had been renamed over the name would be another one.
  CHECK(std::filesystem::equivalent(in, folder / "other.onnx"));
}

TEST_CASE("Standard output can be a pipe, a file to append to, or full") {
  const Folder folder;
  const std::string in = folder.write("in.onnx", model_bytes());
  // Copies to standard output, which is that file.
  const auto copy_to = [&](const std::string& path, int flags) {
    return run_apart([&] {
      const int file = ::open(path.c_str(), flags | O_CREAT, 0600);
      if (file < 0 || ::dup2(file, STDOUT_FILENO) < 0) return 1;
      const std::string result = fault(copy(in, {.path = "-"}));
      if (result.empty()) return 0;
      return result.substr(0, 6) == "SHP004" ? 4 : 2;
    });
  };
  CHECK(copy_to(folder / "new.onnx", O_WRONLY) == 0);
  CHECK(folder.read("new.onnx") == model_bytes());
  folder.write("log", "before");
  CHECK(copy_to(folder / "log", O_WRONLY | O_APPEND) == 0);
  CHECK(folder.read("log") == "before" + model_bytes());
  CHECK(WEXITSTATUS(copy_to("/dev/full", O_WRONLY)) == 4);
  CHECK(WEXITSTATUS(copy_to(in, O_WRONLY | O_APPEND)) == 4);
  CHECK(folder.read("in.onnx") == model_bytes());

  const std::string pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const std::string command = "cat '" + pipe + "' > '" + folder / "piped.onnx" + "' & wait";
  const pid_t reader = ::fork();
  REQUIRE(reader >= 0);
  if (reader == 0) {
    ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    ::_exit(127);
  }
  CHECK(fault(copy(in, {.path = pipe})).empty());
  int status = 0;
  REQUIRE(::waitpid(reader, &status, 0) == reader);
  CHECK(status == 0);
  CHECK(folder.read("piped.onnx") == model_bytes());
}

TEST_CASE("A symbolic link is followed to the file that it names") {
  const Folder folder;
  const std::string in = folder.write("in.onnx", model_bytes());
  folder.write("real.onnx", "old");
  std::filesystem::create_symlink("real.onnx", folder / "link.onnx");
  CHECK(fault(copy(in, {.path = folder / "link.onnx"})).empty());
  CHECK(std::filesystem::is_symlink(folder / "link.onnx"));
  CHECK(folder.read("real.onnx") == model_bytes());

  std::filesystem::create_symlink("nowhere.onnx", folder / "dangling.onnx");
  CHECK_THAT(fault(copy(in, {.path = folder / "dangling.onnx"})),
             Catch::Matchers::ContainsSubstring("SHP004"));
}

TEST_CASE("Targets that cannot be written are findings and leave nothing") {
  const Folder folder;
  const std::string in = folder.write("in.onnx", model_bytes());
  const auto code_of = [&](const std::string& path) {
    return fault(copy(in, {.path = path})).substr(0, 6);
  };
  CHECK(code_of(folder.path()) == "SHP004");
  CHECK(code_of(folder / "missing/out.onnx") == "SHP004");
  CHECK(code_of(folder / "missing/") == "SHP004");
  CHECK(code_of(in + "/out.onnx") == "SHP004");
  CHECK(code_of("") == "SHP004");
  CHECK(code_of("/dev/full") == "SHP004");
  CHECK(code_of(folder / std::string(300, 'n')) == "SHP004");
  CHECK(folder.names() == Names{"in.onnx"});
}

TEST_CASE("A read-only folder and a read-only file stay as they are") {
  const Folder folder;
  const std::string in = folder.write("in.onnx", model_bytes());
  std::filesystem::create_directory(folder / "closed");
  folder.write("closed/old.onnx", "old");
  folder.write("fixed.onnx", "fixed");
  REQUIRE(::chmod((folder / "fixed.onnx").c_str(), 0444) == 0);
  REQUIRE(::chmod((folder / "closed").c_str(), 0555) == 0);
  REQUIRE(::chmod((folder / "closed/old.onnx").c_str(), 0666) == 0);
  REQUIRE(::chmod(folder.path().c_str(), 0777) == 0);
  // Root may write everywhere, so let it be nobody.
  const int status = run_apart([&] {
    constexpr uid_t kNobody = 65534;
    if (::geteuid() == 0 && ::setuid(kNobody) != 0) return 1;
    if (fault(copy(in, {.path = folder / "closed/new.onnx"})).substr(0, 6) != "SHP004") return 2;
    if (fault(copy(in, {.path = folder / "closed/old.onnx"})).substr(0, 6) != "SHP004") return 3;
    if (fault(copy(in, {.path = folder / "fixed.onnx"})).substr(0, 6) != "SHP004") return 4;
    return 0;
  });
  CHECK(status == 0);
  CHECK(folder.read("closed/old.onnx") == "old");
  CHECK(folder.read("fixed.onnx") == "fixed");
  CHECK(folder.names() == Names{"closed", "fixed.onnx", "in.onnx"});
  REQUIRE(::chmod((folder / "closed").c_str(), 0755) == 0);
}

TEST_CASE("A full disk leaves the old file whole") {
  const Folder folder;
  const std::string in = folder.write("in.onnx", model_bytes());
  folder.write("old.onnx", "old");
  const int status = run_apart([&] {
    // A limit on the size of files fails as a full disk does: in the middle of a write.
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100'000, 100'000};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
    return fault(copy(in, {.path = folder / "old.onnx"})).substr(0, 6) == "SHP004" ? 0 : 2;
  });
  CHECK(status == 0);
  CHECK(folder.read("old.onnx") == "old");
  CHECK(folder.names() == Names{"in.onnx", "old.onnx"});
}

TEST_CASE("A file that is given up leaves nothing, with or without a name") {
  const Folder folder;
  folder.write("old.onnx", "old");
  const bool named = GENERATE(false, true);
  {
    OutputFile output;
    REQUIRE(output.open({.path = folder / "old.onnx", .named_temporary = named}).ok());
    CHECK(folder.names().size() == (named ? 2 : 1));
    REQUIRE(write_all(output.descriptor(), "new", 3));
  }
  CHECK(folder.names() == Names{"old.onnx"});
  CHECK(folder.read("old.onnx") == "old");
  {
    OutputFile output;
    REQUIRE(output.open({.path = folder / "old.onnx", .named_temporary = named}).ok());
    REQUIRE(write_all(output.descriptor(), "new", 3));
    REQUIRE(output.commit().ok());
  }
  CHECK(folder.names() == Names{"old.onnx"});
  CHECK(folder.read("old.onnx") == "new");
}

TEST_CASE("A signal ends the process after the temporary file is gone") {
  const Folder folder;
  folder.write("old.onnx", "old");
  const bool named = GENERATE(false, true);
  const int signal = GENERATE(SIGINT, SIGTERM, SIGHUP);
  const int status = run_apart([&] {
    std::signal(signal, SIG_DFL);
    OutputFile output;
    if (!output.open({.path = folder / "old.onnx", .named_temporary = named})) return 1;
    if (!write_all(output.descriptor(), "new", 3)) return 2;
    ::raise(signal);
    if (!named || !output.interrupted()) ::_exit(3);
    return 0;  // the end of the output lets the signal through
  });
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == signal);
  CHECK(folder.names() == Names{"old.onnx"});
  CHECK(folder.read("old.onnx") == "old");
}

}  // namespace onnx_shapes
