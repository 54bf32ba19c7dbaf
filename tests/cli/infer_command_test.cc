// Runs the tool as a person does: exit codes, where output goes, what is said of wrong use.
#include <fmt/format.h>
#include <unistd.h>

#include "tests/cli/tool.h"
#include "tests/support/text_model.h"

namespace onnx_shapes::test {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;

std::string bytes_of(const std::string& graph) {
  return parse_model(with_header(graph)).SerializeAsString();
}

constexpr char kClean[] =
    "g (float[N, 4] x) => (float[N, 8] y) { h = Neg(x) y = Concat<axis = 1>(h, h) }";
constexpr char kWrong[] =
    "g (float[2, 3] a, float[4, 5] b) => (float[p, q] y) { y = MatMul(a, b) }";
constexpr char kCustom[] = "g (float[N] x) => (float[M] y) { y = Unheard(x) }";

onnx::ModelProto parsed(const std::string& bytes) {
  onnx::ModelProto model;
  REQUIRE(model.ParseFromString(bytes));
  return model;
}

/// The dims of a tensor type, `N,8`.
std::string dims(const onnx::ValueInfoProto& info) {
  std::string text;
  for (const auto& dim : info.type().tensor_type().shape().dim()) {
    if (!text.empty()) text += ",";
    text += dim.has_dim_value() ? std::to_string(dim.dim_value()) : dim.dim_param();
  }
  return text;
}

TEST_CASE("The exit code says how it went") {
  const Folder folder;
  folder.write("clean.onnx", bytes_of(kClean));
  folder.write("wrong.onnx", bytes_of(kWrong));
  folder.write("custom.onnx", bytes_of(kCustom));
  struct Row {
    const char* arguments;
    int exit;
  };
  const Row rows[] = {
      {"infer clean.onnx -n", 0},
      {"infer wrong.onnx -n", 1},
      {"infer wrong.onnx -n --fail-on never", 0},
      {"infer custom.onnx -n", 0},
      {"infer custom.onnx -n --fail-on warning", 1},
      {"infer custom.onnx -n --fail-on note", 1},
      {"infer clean.onnx -n --fail-on note", 0},
      {"infer none.onnx -n", 2},
      {"infer clean.onnx -n --max-nodes 1", 3},
      {"infer clean.onnx -n --max-visits 1", 3},
      {"infer clean.onnx -n --max-rank 1", 3},
      {"--version", 0},
      {"--help", 0},
      {"infer --help", 0},
  };
  for (const Row& row : rows) {
    INFO(row.arguments);
    const Ran ran = run(folder, row.arguments);
    INFO(ran.out << ran.err);
    CHECK(ran.exit == row.exit);
  }
}

TEST_CASE("Wrong use is told, and nothing is written") {
  const Folder folder;
  folder.write("m.onnx", bytes_of(kClean));
  struct Row {
    const char* arguments;
    const char* says;
  };
  const Row rows[] = {
      {"", "subcommand"},
      {"infr m.onnx", "infr"},
      {"infer", "name the model"},
      {"infer m.onnx --frobnicate", "--frobnicate"},
      {"infer m.onnx other.onnx", "other.onnx"},
      {"infer m.onnx --format xml", "xml"},
      {"infer m.onnx --fail-on sometimes", "sometimes"},
      {"infer m.onnx --trust maybe", "maybe"},
      {"infer m.onnx --inputs drop", "drop"},
      {"infer m.onnx --dim-params wild", "wild"},
      {"infer m.onnx --outputs some", "some"},
      {"infer m.onnx --dims letters", "letters"},
      {"infer m.onnx --max-rank many", "many"},
      {"infer m.onnx --max-nesting -1", "--max-nesting"},
      {"infer m.onnx --timeout -1", "--timeout"},
      {"infer m.onnx --timeout 1e300", "--timeout"},
      {"infer m.onnx --dim N", "NAME=NUMBER"},
      {"infer m.onnx --dim N=", "NAME=NUMBER"},
      {"infer m.onnx --dim N=-1", "NAME=NUMBER"},
      {"infer m.onnx --dim N=3x", "NAME=NUMBER"},
      {"infer m.onnx --dim =3", "NAME=NUMBER"},
      {"infer m.onnx --dim N=99999999999999999999", "NAME=NUMBER"},
      {"infer m.onnx --dim Z=3", "'Z'"},
      {"infer m.onnx -o out.onnx --in-place", "--in-place"},
      {"infer m.onnx -o out.onnx --dry-run", "--dry-run"},
      {"infer m.onnx --in-place --dry-run", "--dry-run"},
      {"infer m.onnx -o out.onnx --fresh --strip", "--strip"},
      {"infer m.onnx --strip", "-o FILE"},
      {"infer - --in-place", "--in-place"},
  };
  const std::string before = folder.read("m.onnx");
  for (const Row& row : rows) {
    INFO(row.arguments);
    const Ran ran = run(folder, row.arguments);
    CHECK(ran.exit == 2);
    CHECK(ran.out == "");
    CHECK_THAT(ran.err, ContainsSubstring(row.says));
    CHECK(ran.err.find("onnx-shapes: ") == 0);
    CHECK(std::count(ran.err.begin(), ran.err.end(), '\n') <= 2);
  }
  CHECK(folder.read("m.onnx") == before);
  CHECK(!fs::exists(folder / "out.onnx"));
}

TEST_CASE("A file that is no model is told in a line") {
  const Folder folder;
  const std::string bytes = bytes_of(kClean);
  folder.write("empty.onnx", "");
  folder.write("text.onnx", "This is a plain text file, not a model.\n");
  folder.write("html.onnx", "<!DOCTYPE html><html><body>404</body></html>");
  folder.write("pointer.onnx",
               "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n");
  folder.write("truncated.onnx", bytes.substr(0, bytes.size() - 5));
  fs::create_directory(folder / "folder.onnx");
  for (const char* name : {"none.onnx", "folder.onnx", "empty.onnx", "text.onnx", "html.onnx",
                           "pointer.onnx", "truncated.onnx", "clean.onnx/m.onnx"}) {
    INFO(name);
    const Ran ran = run(folder, fmt::format("infer {} -o out.onnx --format concise", name));
    INFO(ran.out << ran.err);
    CHECK(ran.exit == 2);
    CHECK_THAT(ran.out + ran.err, ContainsSubstring(name) && ContainsSubstring("SHP00"));
    CHECK(std::count(ran.out.begin(), ran.out.end(), '\n') == 1);
    CHECK(ran.err == "");
    CHECK(!fs::exists(folder / "out.onnx"));
  }
}

TEST_CASE("- is standard input and output") {
  const Folder folder;
  folder.write("m.onnx", bytes_of(kClean));
  REQUIRE(run(folder, "infer m.onnx -o out.onnx").exit == 0);
  const Ran ran = run(folder, "infer - -o -", folder / "m.onnx");
  CHECK(ran.exit == 0);
  CHECK((ran.out == folder.read("out.onnx")));
  CHECK(ran.err == "");
  CHECK_THAT(run(folder, "infer -", folder / "m.onnx").out, ContainsSubstring("float[N, 8]"));
  // The report makes way for the model.
  folder.write("wrong.onnx", bytes_of(kWrong));
  const Ran wrong = run(folder, "infer - -o -", folder / "wrong.onnx");
  CHECK(wrong.exit == 1);
  CHECK_THAT(wrong.err, ContainsSubstring("SHP105"));
  CHECK(parsed(wrong.out).graph().node_size() == 1);
  CHECK(run(folder, "infer -").exit == 2);
}

TEST_CASE("--in-place writes what -o writes") {
  const Folder folder;
  folder.write("m.onnx", bytes_of(kClean));
  folder.write("copy.onnx", bytes_of(kClean));
  REQUIRE(run(folder, "infer m.onnx -o out.onnx").exit == 0);
  const Ran ran = run(folder, "infer copy.onnx --in-place");
  CHECK(ran.exit == 0);
  CHECK(ran.out + ran.err == "");
  CHECK((folder.read("copy.onnx") == folder.read("out.onnx")));
  // The input of -o stays as it was.
  CHECK((folder.read("m.onnx") == bytes_of(kClean)));
  CHECK(dims(parsed(folder.read("out.onnx")).graph().value_info(0)) == "N,4");
}

TEST_CASE("Where nothing can be written the input stays whole") {
  const Folder folder;
  folder.write("m.onnx", bytes_of(kClean));
  for (const char* arguments :
       {"infer m.onnx -o nowhere/out.onnx", "infer m.onnx -o m.onnx/out.onnx",
        "infer m.onnx -o /proc/out.onnx"}) {
    INFO(arguments);
    const Ran ran = run(folder, arguments);
    CHECK(ran.exit == 2);
    CHECK_THAT(ran.out, ContainsSubstring("SHP004"));
  }
  // Output that is lost is told too.
  for (const char* arguments : {"infer m.onnx >/dev/full", "infer m.onnx -o - >/dev/full"}) {
    INFO(arguments);
    const std::string command = fmt::format("cd '{}' && '{}/bin/onnx-shapes' {} 2>stderr",
                                            folder.path(), ONNX_SHAPES_BINARY_DIR, arguments);
    const int status = std::system(command.c_str());
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 2));
    CHECK_THAT(folder.read("stderr"), ContainsSubstring("No space left"));
  }
  // Nor is the input overwritten without being asked.
  CHECK(run(folder, "infer m.onnx -o m.onnx").exit == 2);
  CHECK((folder.read("m.onnx") == bytes_of(kClean)));
  fs::create_directory(folder / "closed");
  fs::copy_file(folder / "m.onnx", folder / "closed/m.onnx");
  fs::permissions(folder / "closed", fs::perms::owner_read | fs::perms::owner_exec);
  const Ran ran = run(folder, "infer closed/m.onnx --in-place");
  // The superuser may write anywhere.
  CHECK(ran.exit == (geteuid() == 0 ? 0 : 2));
  fs::permissions(folder / "closed", fs::perms::owner_all);
  const auto begin = fs::directory_iterator(folder / "closed");
  CHECK(std::distance(begin, fs::directory_iterator()) == 1);
}

TEST_CASE("--strip takes value_info away and nothing else") {
  const Folder folder;
  folder.write("m.onnx", bytes_of(kClean));
  REQUIRE(run(folder, "infer m.onnx -o annotated.onnx").exit == 0);
  REQUIRE(parsed(folder.read("annotated.onnx")).graph().value_info_size() == 1);
  REQUIRE(run(folder, "infer annotated.onnx --strip -o stripped.onnx").exit == 0);
  CHECK((folder.read("stripped.onnx") == folder.read("m.onnx")));
}

TEST_CASE("--dim, --fresh, --inputs and --assume-nonempty") {
  const Folder folder;
  folder.write("m.onnx", bytes_of(kClean));
  REQUIRE(run(folder, "infer m.onnx -o out.onnx --dim N=3").exit == 0);
  const onnx::ModelProto numbered = parsed(folder.read("out.onnx"));
  CHECK(dims(numbered.graph().input(0)) == "3,4");
  CHECK(dims(numbered.graph().output(0)) == "3,8");

  folder.write("stale.onnx", bytes_of("g (float[N, 4] x) => (float[N, 4] y) <float[S, 4] h>"
                                      " { h = Neg(x) y = Neg(h) }"));
  REQUIRE(run(folder, "infer stale.onnx -o out.onnx").exit == 0);
  CHECK(dims(parsed(folder.read("out.onnx")).graph().value_info(0)) == "S,4");
  REQUIRE(run(folder, "infer stale.onnx -o out.onnx --fresh").exit == 0);
  CHECK(dims(parsed(folder.read("out.onnx")).graph().value_info(0)) == "N,4");

  folder.write("unnamed.onnx", bytes_of("g (float[?, 4] x) => (float[?, 4] y) { y = Neg(x) }"));
  REQUIRE(run(folder, "infer unnamed.onnx -o out.onnx").exit == 0);
  CHECK(dims(parsed(folder.read("out.onnx")).graph().input(0)) == "x_0,4");
  CHECK(dims(parsed(folder.read("out.onnx")).graph().output(0)) == "x_0,4");
  REQUIRE(run(folder, "infer unnamed.onnx -o out.onnx --inputs keep").exit == 0);
  CHECK((folder.read("out.onnx") == folder.read("unnamed.onnx")));

  // max(0, N - 1) is N - 1 once N is at least 1.
  folder.write("slice.onnx", bytes_of("g (float[N] x) => (y) { a = Constant<value_ints = [1]>()"
                                      " b = Constant<value_ints = [9223372036854775807]>()"
                                      " y = Slice(x, a, b) }"));
  CHECK_THAT(run(folder, "infer slice.onnx --assume-nonempty").out, ContainsSubstring("[N - 1]"));
  CHECK_THAT(run(folder, "infer slice.onnx").out, ContainsSubstring("max("));
}

TEST_CASE("--trust says whose declarations name what was inferred") {
  const Folder folder;
  folder.write("m.onnx",
               bytes_of("g (float[N] x) => (int64[1, K] y) { h = NonZero(x) y = Neg(h) }"));
  REQUIRE(run(folder, "infer m.onnx -o out.onnx").exit == 0);
  CHECK(dims(parsed(folder.read("out.onnx")).graph().value_info(0)) == "1,K");
  REQUIRE(run(folder, "infer m.onnx -o out.onnx --trust none").exit == 0);
  CHECK(dims(parsed(folder.read("out.onnx")).graph().value_info(0)) == "1,NonZero_h_nnz");
  CHECK(dims(parsed(folder.read("out.onnx")).graph().output(0)) == "1,K");
}

TEST_CASE("The report") {
  const Folder folder;
  folder.write("m.onnx", bytes_of(kClean));
  folder.write("custom.onnx", bytes_of(kCustom));
  CHECK(run(folder, "infer m.onnx -n").out == "");
  CHECK_THAT(run(folder, "infer m.onnx -n -v").out, ContainsSubstring("would change"));
  CHECK_THAT(run(folder, "infer custom.onnx -n").out, ContainsSubstring("SHP401"));
  CHECK(run(folder, "infer custom.onnx -n -q").out == "");
  const Ran concise = run(folder, "infer custom.onnx -n --format concise");
  CHECK(std::count(concise.out.begin(), concise.out.end(), '\n') == 1);
  CHECK(run(folder, "infer custom.onnx -n --format json").out.starts_with("{"));
  CHECK_THAT(run(folder, "--version").out, ContainsSubstring("onnx-shapes "));
}

}  // namespace
}  // namespace onnx_shapes::test
