// The config file: what it may say, which parts hold for a model, what is said of a bad one.
#include "gate/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "tests/support/catch.h"
#include "tests/wire/folder.h"

namespace onnx_shapes::test {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using Texts = std::vector<std::string>;

Config read(const std::string& text, const std::string& path = "c.toml") {
  const auto config = parse_config(text, path);
  INFO(text);
  if (!config) FAIL(config.reason());
  return *config;
}

std::string complaint(const std::string& text) {
  const auto config = parse_config(text, "c.toml");
  return config ? "accepted" : config.reason();
}

/// Whether a key holds for a model with that value.
bool holds(const Config& config, const std::string& key, const std::string& model,
           const ConfigValue& value) {
  for (const AppliedEntry& applied : entries_for(config, model)) {
    if (applied.entry->key == key) return applied.entry->value == value;
  }
  return false;
}

std::string text(const Config& config, const std::string& key, const std::string& model) {
  for (const AppliedEntry& applied : entries_for(config, model)) {
    if (applied.entry->key != key) continue;
    const auto* value = std::get_if<std::string>(&applied.entry->value);
    return value != nullptr ? *value : "no text";
  }
  return "unset";
}

}  // namespace

TEST_CASE("Each key has a value of its type") {
  const Config config = read(R"(
select = ["SHP2", "dim-mismatch"]
ignore = "SHP304"
fail-on = "warning"
require = "names"
dim = ["batch=8"]
dim-params = "opaque"
assume-nonempty = true
max-rank = 8
timeout = 2.5
)");
  REQUIRE(config.sections.size() == 1);
  CHECK(holds(config, "select", "m", Texts{"SHP2", "dim-mismatch"}));
  CHECK(holds(config, "ignore", "m", Texts{"SHP304"}));
  CHECK(holds(config, "fail-on", "m", "warning"));
  CHECK(holds(config, "dim", "m", Texts{"batch=8"}));
  CHECK(holds(config, "assume-nonempty", "m", true));
  CHECK(holds(config, "max-rank", "m", uint64_t{8}));
  CHECK(holds(config, "timeout", "m", 2.5));
  CHECK(holds(read("timeout = 2"), "timeout", "m", 2.0));
  CHECK(text(config, "baseline", "m") == "unset");
  const auto entry = std::ranges::find(config.sections[0].entries, "fail-on", &ConfigEntry::key);
  CHECK(entry->line == 4);
}

TEST_CASE("Every key can be set") {
  using Kind = ConfigKey::Kind;
  for (const ConfigKey& key : config_keys()) {
    std::string given = "\"x\"";
    if (key.kind == Kind::kFlag) given = "false";
    if (key.kind == Kind::kCount || key.kind == Kind::kSeconds) given = "1";
    if (key.kind == Kind::kChoice) given = fmt::format("\"{}\"", key.choices.front());
    if (key.kind == Kind::kCodes) given = "[\"SHP203\"]";
    const Config config = read(fmt::format("{} = {}", key.name, given));
    const std::vector<AppliedEntry> applied = entries_for(config, "m");
    REQUIRE(applied.size() == 1);
    CHECK(applied[0].entry->key == key.name);
  }
}

TEST_CASE("The last section that matches decides") {
  const Config config = read(R"(
fail-on = "error"
[[models]]
files = ["encoder/*.onnx", "decoder.onnx"]
fail-on = "warning"
[[models]]
files = "**/big_*.onnx"
fail-on = "never"
)");
  CHECK(text(config, "fail-on", "other.onnx") == "error");
  CHECK(text(config, "fail-on", "encoder/a.onnx") == "warning");
  CHECK(text(config, "fail-on", "encoder/deep/a.onnx") == "error");
  CHECK(text(config, "fail-on", "encoder/big_a.onnx") == "never");
  CHECK(text(config, "fail-on", "./encoder/../encoder/a.onnx") == "warning");
  // Without a slash it is the file's name, in any folder.
  CHECK(text(config, "fail-on", "x/y/decoder.onnx") == "warning");
  CHECK(text(config, "fail-on", (fs::current_path() / "encoder/a.onnx").string()) == "warning");
}

TEST_CASE("Patterns and paths are relative to the file's folder") {
  const Config config = read(R"(
baseline = "known.json"
inputs = ["data/a.npz", "/data/b.npz"]
[[models]]
files = "m/*.onnx"
require = "ranks"
)",
                             "sub/c.toml");
  CHECK(text(config, "baseline", "sub/a.onnx") == "sub/known.json");
  CHECK(holds(config, "inputs", "sub/a.onnx", Texts{"sub/data/a.npz", "/data/b.npz"}));
  CHECK(text(config, "require", "sub/m/a.onnx") == "ranks");
  CHECK(text(config, "require", "m/a.onnx") == "unset");
}

TEST_CASE("A bad file is one line that says where and what") {
  struct Row {
    std::string text;
    const char* says;
  };
  const Row rows[] = {
      {"ignor = []", "c.toml:1: there is no key 'ignor'; did you mean 'ignore'?"},
      {"\nfail_on = \"error\"", "c.toml:2: there is no key 'fail_on'; did you mean 'fail-on'?"},
      {"colour = 1", "c.toml:1: there is no key 'colour'"},
      {"[model]\nfail-on = \"error\"", "'model'; did you mean 'models'?"},
      {"fail-on = \"errors\"",
       "c.toml:1: 'fail-on' takes one of \"error\", \"warning\", \"note\", \"never\"; did you mean "
       "'error'?"},
      {"fail-on = 1", "'fail-on' takes one of"},
      {"assume-nonempty = \"yes\"", "'assume-nonempty' takes true or false"},
      {"assume-nonempty = 1", "'assume-nonempty' takes true or false"},
      {"max-rank = -1", "'max-rank' takes a whole number from 0"},
      {"max-rank = 1.5", "'max-rank' takes a whole number"},
      {"max-nodes = 99999999999", "'max-nodes' takes a whole number from 0 to 2147483647"},
      {"timeout = nan", "'timeout' takes a number of seconds"},
      {"timeout = inf", "'timeout' takes a number of seconds"},
      {"timeout = -0.5", "'timeout' takes a number of seconds"},
      {"timeout = \"1\"", "'timeout' takes a number of seconds"},
      {"select = [1]", "'select' takes a text or a list of texts"},
      {"select = {a = 1}", "'select' takes a text or a list of texts"},
      {"select = [\"\"]", "'select' takes no empty text"},
      {"ignore = [\"SHP9999\"]", "c.toml:1: no finding has the code or name 'SHP9999'"},
      {"baseline = [\"a\"]", "'baseline' takes the path of a file"},
      {"baseline = \"\"", "'baseline' takes the path of a file"},
      {"models = 1", "'models' takes tables"},
      {"[models]\nfiles = \"a\"", "'models' takes tables"},
      {"[[models]]\nrequire = \"ranks\"", "c.toml:1: a table [[models]] needs 'files'"},
      {"[[models]]\nfiles = []", "needs 'files'"},
      {"[[models]]\nfiles = \"a\"\nfile = \"b\"",
       "c.toml:3: there is no key 'file'; did you mean 'files'?"},
      {"[[models]]\nfiles = \"a\"\n[[models.models]]\nfiles = \"b\"", "there is no key 'models'"},
      {"fail-on", "c.toml:1:"},
      {"fail-on = ", "c.toml:1:"},
      {"fail-on = \"note\"\nfail-on = \"note\"", "c.toml:2:"},
      {"\xc3\xa9 = 1", "; letters beyond ASCII are only for texts and comments"},
      {"\xff\xfe = 1", "; letters beyond ASCII are only for texts and comments"},
      {"fail-on = \"note\"\n\"\xc3\xa9%\" = 1", "c.toml:2: there is no key '\xc3\xa9%'"},
      {"fail-on = \"note\" \xc3\xa9", "; letters beyond ASCII are only for texts and comments"},
      {"\n\nselect = \xc3\xa9", "c.toml:3:"},
      {"select = \"\xc3\xa9\"", "no finding has the code or name '\xc3\xa9'"},
      {"fail%on = 1", "c.toml:1:"},
      {"a = \"\x01\"", "c.toml:1:"},
  };
  for (const Row& row : rows) {
    INFO(row.text);
    const std::string said = complaint(row.text);
    CHECK_THAT(said, ContainsSubstring(row.says));
    CHECK(said.starts_with("c.toml:"));
    CHECK(said.find('\n') == std::string::npos);
  }
}

TEST_CASE("Texts and comments may be of any language") {
  const Config config = read(
      "\xef\xbb\xbf# caf\xc3\xa9 \"\n"
      "baseline = \"b\\\"\xc3\xa9.json\" # \xe4\xb8\xad\n"
      "inputs = ['\xc3\xa9\\', '%c3', '100%', '''%%\xff''']\n"
      "dim = []\n");
  CHECK(text(config, "baseline", "m") == "b\"\xc3\xa9.json");
  CHECK(holds(config, "inputs", "m", Texts{"\xc3\xa9\\", "%c3", "100%", "%%\xff"}));
}

TEST_CASE("A hostile file is one line too") {
  const std::string deep(100'000, '[');
  for (const std::string& text :
       {"a = " + deep, deep, std::string(2U << 20U, '#'), std::string(100'000, 'k') + " = 1"}) {
    const std::string said = complaint(text);
    CHECK(said != "accepted");
    CHECK(said.size() < 500);
    CHECK(said.find('\n') == std::string::npos);
  }
}

TEST_CASE("The nearest file around the model is found") {
  const Folder folder;
  fs::create_directories(folder / "a/b/c");
  CHECK(!find_config(folder / "a/b/c/m.onnx"));
  const std::string outer = folder.write("onnx-shapes.toml", "");
  CHECK(find_config(folder / "a/b/c/m.onnx") == outer);
  const std::string inner = folder.write("a/b/onnx-shapes.toml", "");
  CHECK(find_config(folder / "a/b/c/m.onnx") == inner);
  CHECK(find_config(folder / "a/b/../m.onnx") == outer);
  CHECK(find_config(folder / "a/b/c/x/not/there.onnx") == inner);
}

TEST_CASE("A config file that cannot be read is a complaint") {
  const Folder folder;
  const auto none = read_config(folder / "none.toml");
  REQUIRE(!none.ok());
  CHECK_THAT(none.reason(), ContainsSubstring("the config file cannot be read"));
  fs::create_directory(folder / "d.toml");
  CHECK(!read_config(folder / "d.toml").ok());
}

}  // namespace onnx_shapes::test
