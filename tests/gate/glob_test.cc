// File name patterns: what matches, and which files of a folder an argument names.
#include "gate/glob.h"

#include <fmt/format.h>

#include <filesystem>

#include "tests/support/catch.h"
#include "tests/wire/folder.h"

namespace onnx_shapes::test {
namespace {

namespace fs = std::filesystem;

/// A folder with files at the paths, and the tool's working folder while it lives.
class WorkingFolder {
 public:
  explicit WorkingFolder(const std::vector<std::string>& files) : before_(fs::current_path()) {
    for (const std::string& file : files) {
      fs::create_directories(fs::path(folder_ / file).parent_path());
      folder_.write(file, "");
    }
    fs::current_path(folder_.path());
  }
  WorkingFolder(const WorkingFolder&) = delete;
  WorkingFolder& operator=(const WorkingFolder&) = delete;
  ~WorkingFolder() { fs::current_path(before_); }

 private:
  Folder folder_;
  fs::path before_;
};

std::string expanded(const std::vector<std::string>& arguments) {
  const auto models = expand_models(arguments);
  if (!models) return models.reason();
  return fmt::format("{}", fmt::join(*models, " "));
}

}  // namespace

TEST_CASE("Patterns match as a shell's do") {
  struct Row {
    const char* pattern;
    const char* path;
    bool matches;
  };
  const Row rows[] = {
      {"a.onnx", "a.onnx", true},
      {"a.onnx", "b.onnx", false},
      {"*.onnx", "a.onnx", true},
      {"*.onnx", ".onnx", false},
      {"*.onnx", "d/a.onnx", false},
      {"*", "", false},
      {"d/*.onnx", "d/a.onnx", true},
      {"d/*.onnx", "d/e/a.onnx", false},
      {"?.onnx", "a.onnx", true},
      {"?.onnx", "ab.onnx", false},
      {"?.onnx", ".onnx", false},
      {"[ab].onnx", "b.onnx", true},
      {"[ab].onnx", "c.onnx", false},
      {"[a-c]x", "bx", true},
      {"[a-c]x", "dx", false},
      {"[!a-c]x", "dx", true},
      {"[!a-c]x", "ax", false},
      {"[]]x", "]x", true},
      {"[a", "[a", true},
      {"a*b*c", "aXbYbZc", true},
      {"a*b*c", "aXbYcZ", false},
      {"*a*", "bab", true},
      {"**/*.onnx", "a.onnx", true},
      {"**/*.onnx", "d/e/a.onnx", true},
      {"**/*.onnx", ".git/a.onnx", false},
      {"d/**", "d/e/a.onnx", true},
      {"d/**", "e/a.onnx", false},
      {"d/**/a.onnx", "d/a.onnx", true},
      {"d/**/a.onnx", "d/x/y/a.onnx", true},
      {"d/**/x/**/a", "d/x/y/x/z/a", true},
      {"./d/a", "d/a", true},
      {".hidden/*", ".hidden/a", true},
      {"*", ".hidden", false},
      {".*", ".hidden", true},
      {"/d/*", "/d/a", true},
      {"/d/*", "d/a", false},
      {"../*.onnx", "../a.onnx", true},
  };
  for (const Row& row : rows) {
    INFO(row.pattern << " " << row.path);
    CHECK(glob_matches(row.pattern, row.path) == row.matches);
  }
}

TEST_CASE("A hostile pattern takes no exponential time") {
  std::string pattern, path;
  for (int i = 0; i < 200; ++i) {
    pattern += "*a";
    path += "a";
  }
  CHECK(!glob_matches(pattern + "b", path));
  CHECK(glob_matches(pattern, path));
  std::string folders, deep;
  for (int i = 0; i < 200; ++i) {
    folders += "**/a/";
    deep += "a/";
  }
  CHECK(!glob_matches(folders + "b", deep + "c"));
}

TEST_CASE("Arguments name models, each once, in order") {
  const WorkingFolder folder(
      {"b.onnx", "a.onnx", "c.txt", "d/e/f.onnx", "d/g.onnx", ".git/h.onnx", "x[1].onnx"});
  CHECK(expanded({"b.onnx", "a.onnx"}) == "b.onnx a.onnx");
  CHECK(expanded({"b.onnx", "./b.onnx", "*.onnx"}) == "b.onnx a.onnx x[1].onnx");
  CHECK(expanded({"-"}) == "-");
  CHECK(expanded({"d"}) == "d/e/f.onnx d/g.onnx");
  CHECK(expanded({"d/"}) == "d/e/f.onnx d/g.onnx");
  CHECK(expanded({"."}) == "a.onnx b.onnx d/e/f.onnx d/g.onnx x[1].onnx");
  CHECK(expanded({"**/*.onnx"}) == "a.onnx b.onnx d/e/f.onnx d/g.onnx x[1].onnx");
  CHECK(expanded({"d/**"}) == "d/e/f.onnx d/g.onnx");
  CHECK(expanded({"*/g.onnx"}) == "d/g.onnx");
  CHECK(expanded({"x[1].onnx"}) == "x[1].onnx");
  CHECK(expanded({fs::current_path().string() + "/d/*.onnx"}) ==
        fs::current_path().string() + "/d/g.onnx");
  // A file that is not there is told when it is opened.
  CHECK(expanded({"none.onnx"}) == "none.onnx");
}

TEST_CASE("What names no model at all is a complaint") {
  const WorkingFolder folder({"a.onnx", "d/b.txt"});
  CHECK(expanded({"*.onx"}) == "no file matches '*.onx'");
  CHECK(expanded({"d"}) == "there is no file *.onnx in the folder 'd'");
  CHECK(expanded({"d/*"}) == "d/b.txt");
}

TEST_CASE("Links that lead back up end the walk") {
  const WorkingFolder folder({"d/a.onnx"});
  fs::create_directory_symlink("..", "d/up");
  CHECK(expanded({"."}) == "d/a.onnx");
  CHECK(expanded({"**/*.onnx"}) == "d/a.onnx");
}

}  // namespace onnx_shapes::test
