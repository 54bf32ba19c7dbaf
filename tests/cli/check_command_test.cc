// `check` as a gate: several models, selections, requirements, baselines, config files, formats.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "gate/config.h"
#include "tests/cli/tool.h"
#include "tests/support/text_model.h"

namespace onnx_shapes::test {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

std::string bytes_of(const std::string& graph) {
  return parse_model(with_header(graph)).SerializeAsString();
}

constexpr char kGood[] = "g (float[N, 4] x) => (float[N, 4] y) { y = Neg(x) }";
constexpr char kWrong[] = "g (float[N, 4] x) => (float[N, 5] y) { y = Neg(x) }";
constexpr char kRankWrong[] =
    "g (float[N, 4] x) => (float[N] y, float[N, 5] z) { y = Neg(x) z = Abs(x) }";
constexpr char kNeedsEqual[] =
    "g (float[2, N] a, float[M, 3] b) => (float[2, 3] y) { y = MatMul(a, b) }";

/// good.onnx, wrong.onnx, rank.onnx, needs.onnx
class Models : public Folder {
 public:
  Models() {
    write("good.onnx", bytes_of(kGood));
    write("wrong.onnx", bytes_of(kWrong));
    write("rank.onnx", bytes_of(kRankWrong));
    write("needs.onnx", bytes_of(kNeedsEqual));
  }
};

size_t occurrences(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("Several models are checked in one call, in order, with a line at the end") {
  const Models folder;
  for (const char* jobs : {"1", "2", "4", "0"}) {
    INFO(jobs);
    const Ran ran = run(folder, fmt::format("check rank.onnx good.onnx wrong.onnx -j {}", jobs));
    CHECK(ran.exit == 1);
    CHECK(ran.err == "");
    const size_t rank = ran.out.find("rank.onnx:graph/Neg_0:output y: error SHP201");
    const size_t wrong = ran.out.find("wrong.onnx:graph/Neg_0:output y[axis 1]: error SHP203");
    REQUIRE(rank != std::string::npos);
    REQUIRE(wrong != std::string::npos);
    CHECK(rank < wrong);
    CHECK(ran.out.ends_with("3 models: 1 passed, 2 failed; 3 errors, 0 warnings\n"));
  }
}

TEST_CASE("Models are files, folders and patterns; a clean run says nothing") {
  const Models folder;
  fs::create_directories(folder / "sub/deep");
  folder.write("sub/deep/a.onnx", bytes_of(kGood));
  folder.write("sub/b.onnx", bytes_of(kGood));
  CHECK(run(folder, "check sub").out == "");
  CHECK(run(folder, "check sub good.onnx").exit == 0);
  CHECK_THAT(run(folder, "check sub good.onnx -v").out, ContainsSubstring("3 models: 3 passed"));
  CHECK_THAT(run(folder, "check '**/*.onnx' -v").out, ContainsSubstring("6 models: 4 passed"));
  const Ran none = run(folder, "check '*.onx'");
  CHECK(none.exit == 2);
  CHECK(none.err == "onnx-shapes: no file matches '*.onx'\n");
}

TEST_CASE("The exit code of several models is that of the worst") {
  const Models folder;
  folder.write("text.onnx", "no model");
  struct Row {
    const char* arguments;
    int exit;
  };
  const Row rows[] = {
      {"good.onnx needs.onnx", 0},
      {"good.onnx needs.onnx --fail-on warning", 1},
      {"good.onnx wrong.onnx", 1},
      {"wrong.onnx none.onnx", 2},
      {"wrong.onnx text.onnx good.onnx", 2},
      {"good.onnx none.onnx --fail-on never --ignore SHP", 2},
      {"good.onnx wrong.onnx --max-nodes 0", 3},
      {"good.onnx --dim Z=3", 2},
      {"good.onnx wrong.onnx --shape x", 2},
      {"good.onnx needs.onnx --dim N=3", 0},
  };
  for (const Row& row : rows) {
    INFO(row.arguments);
    const Ran ran = run(folder, std::string("check ") + row.arguments);
    INFO(ran.out << ran.err);
    CHECK(ran.exit == row.exit);
  }
  CHECK_THAT(run(folder, "check good.onnx needs.onnx --dim M=3").err,
             ContainsSubstring("onnx-shapes: good.onnx: --dim names 'M'"));
  CHECK_THAT(run(folder, "check wrong.onnx text.onnx good.onnx").out,
             ContainsSubstring("3 models: 1 passed, 1 failed, 1 not checked"));
}

TEST_CASE("--select and --ignore choose what is reported and what fails") {
  const Models folder;
  CHECK(run(folder, "check rank.onnx --select SHP203").out.find("SHP201") == std::string::npos);
  CHECK(run(folder, "check rank.onnx --ignore SHP2").exit == 0);
  CHECK(run(folder, "check rank.onnx --ignore rank-contradiction,dim-contradiction").exit == 0);
  CHECK(run(folder, "check rank.onnx --ignore SHP201 --ignore SHP203").exit == 0);
  CHECK(run(folder, "check rank.onnx --select SHP1").exit == 0);
  CHECK(run(folder, "infer wrong.onnx -n").exit == 1);
  CHECK(run(folder, "infer wrong.onnx -n --ignore SHP203").exit == 0);
  for (const char* command : {"check", "infer -n"}) {
    const Ran ran = run(folder, fmt::format("{} good.onnx --select dim-contradictoin", command));
    CHECK(ran.exit == 2);
    CHECK_THAT(ran.err, ContainsSubstring("did you mean 'dim-contradiction'?"));
  }
}

TEST_CASE("--require fails where a shape is not known well enough") {
  const Models folder;
  CHECK(run(folder, "check good.onnx --require names").exit == 0);
  const Ran ran = run(folder, "check good.onnx --require static");
  CHECK(ran.exit == 1);
  CHECK_THAT(ran.out, ContainsSubstring("good.onnx:graph:input x[axis 0]: error SHP405 "
                                        "requirement-unmet"));
  CHECK(run(folder, "check good.onnx --require static --dim N=2").exit == 0);
  // In a run every size is known.
  CHECK(run(folder, "check good.onnx --require static --shape x=2,4").exit == 0);
  CHECK(run(folder, "check good.onnx --require static --select SHP1").exit == 1);
}

TEST_CASE("A baseline hides what is known and nothing else") {
  const Models folder;
  const Ran written =
      run(folder, "check rank.onnx wrong.onnx good.onnx --write-baseline base.json");
  CHECK(written.exit == 0);
  CHECK(written.out == "");
  CHECK(written.err == "base.json: 3 findings of 2 models\n");
  CHECK(run(folder, "check rank.onnx wrong.onnx good.onnx --baseline base.json").out == "");
  CHECK(run(folder, "check rank.onnx wrong.onnx --baseline base.json").exit == 0);
  CHECK_THAT(run(folder, "check rank.onnx wrong.onnx --baseline base.json -v").out,
             ContainsSubstring("; 3 known from the baseline\n"));
  // The numbers are others and the node has moved: the same finding. A new one fails.
  folder.write("wrong.onnx", bytes_of("g (float[N, 6] x) => (float[N, 7] y, float[N] z) "
                                      "{ z = ReduceSum<keepdims = 0>(x) y = Neg(x) }"));
  const Ran moved = run(folder, "check wrong.onnx --baseline base.json");
  CHECK(moved.exit == 1);
  CHECK(moved.out.find("SHP203") == std::string::npos);
  CHECK(occurrences(moved.out, "error SHP") == 1);
}

TEST_CASE("What makes a run fail is shown") {
  const Models folder;
  folder.write("less.onnx", bytes_of("g (float[N] x) => (float[M] y) { y = Neg(x) }"));
  CHECK(run(folder, "check less.onnx").exit == 0);
  const Ran note = run(folder, "check less.onnx --fail-on note");
  CHECK(note.exit == 1);
  CHECK_THAT(note.out, ContainsSubstring("note SHP205"));
  const Ran quiet = run(folder, "check needs.onnx -q --fail-on warning");
  CHECK(quiet.exit == 1);
  CHECK_THAT(quiet.out, ContainsSubstring("warning SHP301"));
}

TEST_CASE("A stale entry of a baseline is told as a note") {
  const Models folder;
  CHECK(run(folder, "check wrong.onnx rank.onnx --write-baseline base.json").exit == 0);
  folder.write("wrong.onnx", bytes_of(kGood));
  const Ran ran = run(folder, "check wrong.onnx --baseline base.json");
  CHECK(ran.exit == 0);
  CHECK_THAT(ran.out, ContainsSubstring("wrong.onnx:y[axis 1]: note SHP801 baseline-stale: "
                                        "base.json lists SHP203 dim-contradiction of 'y' axis 1"));
  CHECK(run(folder, "check wrong.onnx --baseline base.json --fail-on note").exit == 1);
  CHECK(run(folder, "check wrong.onnx --baseline base.json -q").out == "");
  folder.write("onnx-shapes.toml", "fail-on = \"note\"\nbaseline = \"base.json\"\n");
  CHECK(run(folder, "check wrong.onnx").exit == 1);
  CHECK(run(folder, "check wrong.onnx rank.onnx --ignore SHP801").exit == 0);
  fs::remove(folder / "onnx-shapes.toml");
  fs::remove(folder / "rank.onnx");
  CHECK_THAT(run(folder, "check wrong.onnx --baseline base.json").out,
             ContainsSubstring("it lists findings of 'rank.onnx', which does not exist"));
  // Written anew, it lists only what is there.
  CHECK(run(folder, "check wrong.onnx --write-baseline base.json").err ==
        "base.json: 0 findings of 0 models\n");
  CHECK(run(folder, "check wrong.onnx --baseline base.json").out == "");
}

TEST_CASE("Models that a call leaves out keep their entries") {
  const Models folder;
  CHECK(run(folder, "check wrong.onnx rank.onnx --write-baseline base.json").exit == 0);
  CHECK(run(folder, "check good.onnx --write-baseline base.json").err ==
        "base.json: 3 findings of 2 models\n");
}

TEST_CASE("A bad baseline, and a file that is none, is one line, and nothing is overwritten") {
  const Models folder;
  folder.write("bad.json", "{\"version\": 1}");
  const std::string before = folder.read("good.onnx");
  struct Row {
    const char* arguments;
    const char* says;
  };
  const Row rows[] = {
      {"good.onnx --baseline none.json", "the baseline cannot be read: none.json"},
      {"good.onnx --baseline bad.json", "the baseline bad.json is no baseline"},
      {"good.onnx --write-baseline bad.json", "the baseline bad.json is no baseline"},
      {"wrong.onnx --write-baseline good.onnx", "the baseline good.onnx is no JSON"},
      {"wrong.onnx --write-baseline none/base.json", "none/base.json"},
      {"wrong.onnx --write-baseline a --baseline b", "--baseline"},
  };
  for (const Row& row : rows) {
    INFO(row.arguments);
    const Ran ran = run(folder, std::string("check ") + row.arguments);
    CHECK(ran.exit == 2);
    CHECK(ran.out == "");
    CHECK_THAT(ran.err, ContainsSubstring(row.says));
  }
  CHECK(folder.read("good.onnx") == before);
  CHECK(folder.read("bad.json") == "{\"version\": 1}");
}

TEST_CASE("What could not be checked is never part of a baseline") {
  const Models folder;
  folder.write("text.onnx", "no model");
  const Ran ran = run(folder, "check wrong.onnx text.onnx --write-baseline base.json");
  CHECK(ran.exit == 2);
  CHECK_THAT(ran.err, ContainsSubstring("base.json: 1 finding of 1 model\n"));
  CHECK(run(folder, "check text.onnx --baseline base.json").exit == 2);
}

TEST_CASE("A config file sets options, for some models others; the command line wins") {
  const Models folder;
  folder.write("onnx-shapes.toml",
               "fail-on = \"warning\"\n"
               "[[models]]\n"
               "files = \"wrong.onnx\"\n"
               "ignore = [\"SHP203\"]\n");
  CHECK(run(folder, "check needs.onnx").exit == 1);
  CHECK(run(folder, "check needs.onnx --fail-on error").exit == 0);
  CHECK(run(folder, "check needs.onnx --no-config").exit == 0);
  CHECK(run(folder, "check wrong.onnx").exit == 0);
  CHECK(run(folder, "check wrong.onnx --ignore SHP201").exit == 1);
  CHECK(run(folder, "check rank.onnx").exit == 1);
  fs::create_directory(folder / "sub");
  folder.write("sub/wrong.onnx", bytes_of(kWrong));
  CHECK(run(folder, "check sub").exit == 0);
  folder.write("sub/onnx-shapes.toml", "require = \"static\"\n");
  CHECK_THAT(run(folder, "check sub").out, ContainsSubstring("SHP405"));
  CHECK(run(folder, "check sub --config onnx-shapes.toml").exit == 0);
}

TEST_CASE("A baseline and inputs of a config file are relative to it") {
  const Models folder;
  fs::create_directory(folder / "sub");
  folder.write("sub/wrong.onnx", bytes_of(kWrong));
  folder.write("sub/onnx-shapes.toml", "baseline = \"base.json\"\n");
  CHECK(run(folder, "check sub --write-baseline sub/base.json").exit == 0);
  CHECK(run(folder, "check sub").exit == 0);
  CHECK(run(folder, "check sub/wrong.onnx --no-config").exit == 1);
  folder.write("sub/onnx-shapes.toml", "inputs = \"none.npz\"\n");
  CHECK_THAT(run(folder, "check sub").out, ContainsSubstring("sub/none.npz"));
}

TEST_CASE("--show-config says what set each option") {
  const Models folder;
  folder.write("onnx-shapes.toml",
               "fail-on = \"warning\"\n"
               "[[models]]\n"
               "files = [\"good*\"]\n"
               "max-rank = 7\n");
  const Ran ran = run(folder, "check good.onnx wrong.onnx --show-config --ignore SHP304");
  CHECK(ran.exit == 0);
  const size_t second = ran.out.find("wrong.onnx: onnx-shapes.toml\n");
  REQUIRE(second != std::string::npos);
  const std::string good = ran.out.substr(0, second);
  CHECK(good.starts_with("good.onnx: onnx-shapes.toml\n"));
  const auto line = [](const std::string& text, const std::string& start) {
    const size_t at = text.find("  " + start + " = ");
    REQUIRE(at != std::string::npos);
    return text.substr(at, text.find('\n', at) - at);
  };
  CHECK_THAT(line(good, "fail-on"), ContainsSubstring("fail-on = \"warning\" "));
  CHECK_THAT(line(good, "fail-on"), ContainsSubstring("  onnx-shapes.toml:1"));
  CHECK(line(good, "max-rank").ends_with("  onnx-shapes.toml:4, for [\"good*\"]"));
  CHECK(line(good, "ignore").ends_with("  command line"));
  CHECK_THAT(line(good, "ignore"), ContainsSubstring("ignore = [\"SHP304\"]"));
  CHECK(line(good, "require").ends_with("  default"));
  CHECK(line(ran.out.substr(second), "max-rank").ends_with("  default"));
  CHECK(run(folder, "check good.onnx --show-config --no-config")
            .out.starts_with("good.onnx: no config file\n"));
}

TEST_CASE("Every key of a config file reaches its option") {
  const Models folder;
  for (const ConfigKey& key : config_keys()) {
    using Kind = ConfigKey::Kind;
    std::string value = "\"x\"";
    std::string shown = value;
    switch (key.kind) {
      case Kind::kFlag:
        shown = value = "true";
        break;
      case Kind::kCount:
        shown = value = "77";
        break;
      case Kind::kSeconds:
        shown = value = "7.5";
        break;
      case Kind::kChoice:
        shown = value = fmt::format("\"{}\"", key.choices.back());
        break;
      case Kind::kCodes:
        value = "\"SHP2\"";
        shown = "[\"SHP2\"]";
        break;
      case Kind::kTexts:
      case Kind::kPaths:
        shown = "[\"x\"]";
        break;
      case Kind::kPath:
        break;
    }
    folder.write("onnx-shapes.toml", fmt::format("{} = {}\n", key.name, value));
    const std::string out = run(folder, "check good.onnx --show-config").out;
    INFO(out);
    const size_t at = out.find(fmt::format("  {} = {} ", key.name, shown));
    REQUIRE(at != std::string::npos);
    CHECK(out.substr(at, out.find('\n', at) - at).ends_with("  onnx-shapes.toml:1"));
  }
}

TEST_CASE("A bad config file is one line, before anything is checked") {
  const Models folder;
  folder.write("onnx-shapes.toml", "\nignor = []\n");
  const Ran ran = run(folder, "check wrong.onnx");
  CHECK(ran.exit == 2);
  CHECK(ran.out == "");
  CHECK(ran.err ==
        "onnx-shapes: onnx-shapes.toml:2: there is no key 'ignor'; did you mean 'ignore'?\n");
  CHECK(run(folder, "check wrong.onnx --config none.toml").exit == 2);
  CHECK(run(folder, "check wrong.onnx --config c --no-config").exit == 2);
}

TEST_CASE("JSON has the findings and runs of all models") {
  const Models folder;
  const Ran ran = run(folder, "check good.onnx wrong.onnx --format json -j 2");
  CHECK(ran.exit == 1);
  const json report = json::parse(ran.out);
  CHECK(report["version"] == 1);
  CHECK(report["counts"]["error"] == 1);
  REQUIRE(report["runs"].size() == 2);
  CHECK(report["runs"][0]["model"] == "good.onnx");
  CHECK(report["runs"][0]["counts"]["proved"] == 1);
  CHECK(report["runs"][1]["model"] == "wrong.onnx");
  CHECK(report["runs"][1]["counts"]["refuted"] == 1);
  CHECK(report["files"][0]["file"] == "good.onnx");
  CHECK(report["findings"][0]["place"]["file"] == "wrong.onnx");
}

TEST_CASE("SARIF, JUnit and workflow commands are about all models") {
  const Models folder;
  const json log = json::parse(run(folder, "check good.onnx wrong.onnx --format sarif").out);
  const json& sarif = log["runs"][0];
  CHECK(sarif["results"].size() == 1);
  CHECK(sarif["artifacts"].size() == 2);
  CHECK(sarif["invocations"][0]["exitCode"] == 1);
  // The page of a finding is its rule's help.
  for (const json& rule : sarif["tool"]["driver"]["rules"]) {
    CHECK_THAT(rule["help"]["markdown"].get<std::string>(),
               ContainsSubstring("# " + rule["id"].get<std::string>()));
  }
  const std::string junit = run(folder, "check good.onnx wrong.onnx --format junit").out;
  CHECK_THAT(junit, ContainsSubstring("tests=\"2\" failures=\"1\" errors=\"0\""));
  CHECK_THAT(run(folder, "check wrong.onnx --format junit --fail-on never").out,
             ContainsSubstring("tests=\"1\" failures=\"0\" errors=\"0\""));
  const Ran github = run(folder, "check good.onnx wrong.onnx --format github");
  CHECK(github.exit == 1);
  CHECK(github.out.starts_with("::error file=wrong.onnx,title=SHP203 dim-contradiction::"));
  CHECK(std::count(github.out.begin(), github.out.end(), '\n') == 1);
  // `infer` has them too.
  CHECK(json::parse(run(folder, "infer wrong.onnx -n --format sarif").out)["runs"].size() == 1);
  CHECK(run(folder, "infer wrong.onnx -n --format github").out.find("::error file=wrong.onnx") !=
        std::string::npos);
}

TEST_CASE("Many models at once come out as one by one") {
  const Folder folder;
  std::string names;
  for (int i = 0; i < 40; ++i) {
    const std::string name = fmt::format("m{:02}.onnx", i);
    folder.write(
        name, bytes_of(fmt::format("g (float[N, {0}] x) => (float[N, {1}] y) {{ y = Relu(x) }}", i,
                                   i + i % 2)));
    names += name + " ";
  }
  const Ran one = run(folder, "check -j 1 " + names);
  CHECK(one.exit == 1);
  CHECK(occurrences(one.out, "error SHP203") == 20);
  for (int i = 0; i < 3; ++i) CHECK(run(folder, "check -j 8 " + names).out == one.out);
}

}  // namespace onnx_shapes::test
