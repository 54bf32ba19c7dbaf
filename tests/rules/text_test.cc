#include "tests/rules/rule_cases.h"
#include "tests/support/inferred.h"

namespace onnx_shapes {
namespace {

using namespace test;

TEST_CASE("StringNormalizer") {
  RULE_CASES({"nothing removed", "StringNormalizer", "str[3]", "str[3]"},
             {"nothing removed of a symbol", "StringNormalizer", "str[C]", "str[max(1,C)]"},
             {"stop words", "StringNormalizer stopwords=[\"a\"]", "str[C]", "str[?]",
              bounds("StringNormalizer_y0_count <= max(1,C)")},
             {"stop words of one", "StringNormalizer stopwords=[\"a\"]", "str[1,1]", "str[1,1]"},
             {"C2 first dim", "StringNormalizer", "str[B,4]", "str[1,4]", facts("B == 1")},
             {"unknown rank", "StringNormalizer", "str?", "str?"},
             {"bad C1 rank", "StringNormalizer", "str[1,1,C]", error("SHP103 C1")},
             {"bad C2 first dim", "StringNormalizer", "str[2,C]", error("SHP105 C2")},
             {"bad C3 type", "StringNormalizer", "f32[C]", error("SHP102 C3")});
}

TEST_CASE("StringConcat, StringSplit and RegexFullMatch") {
  RULE_CASES({"concat", "StringConcat", "str[N,1] str[3]", "str[N,3]"},
             {"concat of unknown rank", "StringConcat", "str? str[3]", "str?"},
             {"bad concat C1", "StringConcat", "str[N] f32[N]", error("SHP102 C1")},
             {"bad concat C2", "StringConcat", "str[2] str[3]", error("SHP105 C2")},
             {"split", "StringSplit", "str[N,3]", "str[N,3,?] i64[N,3]"},
             {"split at most", "StringSplit maxsplit=2", "str[N]", "str[N,?] i64[N]",
              bounds("StringSplit_y0_parts <= 3")},
             {"split of unknown rank", "StringSplit", "str?", "str? i64?"},
             {"bad split C1", "StringSplit", "f32[N]", error("SHP102 C1")},
             {"match", "RegexFullMatch pattern=\"a*\"", "str[N,3]", "bool[N,3]"},
             {"match of unknown rank", "RegexFullMatch pattern=\"a*\"", "str?", "bool?"},
             {"bad match C1", "RegexFullMatch pattern=\"a*\"", "f32[N]", error("SHP102 C1")});
}

std::string of_strings(const std::string& strings, const std::string& node) {
  return inferred(with_header("g () => (y) { x = Constant<value_strings = [" + strings + "]>() " +
                              node + " }"));
}

TEST_CASE("StringNormalizer of known strings") {
  const auto kept = [](const std::string& strings, const std::string& attributes) {
    return of_strings(strings, "y = StringNormalizer<" + attributes + ">(x)");
  };
  const std::string days = R"("monday", "tuesday", "Monday")";
  CHECK(kept(days, R"(is_case_sensitive = 1, stopwords = ["monday"])") == "string[2]");
  CHECK(kept(days, R"(stopwords = ["monday"])") == "string[1]");
  // Nothing is left: one empty string.
  CHECK(kept(R"("monday", "monday")", R"(stopwords = ["monday"])") == "string[1]");
  // What is the lower case of another script is a matter of the locale.
  CHECK(kept("\"\u00c4\", \"b\"", R"(stopwords = ["b"])") == "string[StringNormalizer_y_count]");
}

TEST_CASE("StringSplit of known strings") {
  const auto parts = [](const std::string& strings, const std::string& attributes) {
    return of_strings(strings, "y, z = StringSplit" + attributes + "(x)");
  };
  // As str.split of Python.
  CHECK(parts(R"("a b c", " d  e ")", "") == "string[2, 3]");
  CHECK(parts(R"("a  b", "")", R"(<delimiter = " ">)") == "string[2, 3]");
  CHECK(parts(R"("a-b-c-d")", R"(<delimiter = "-", maxsplit = 2>)") == "string[1, 3]");
  CHECK(parts(R"("a b c d")", "<maxsplit = 1>") == "string[1, 2]");
  CHECK(parts(R"("a--b")", R"(<delimiter = "--">)") == "string[1, 2]");
}

TEST_CASE("TfIdfVectorizer") {
  const std::string node = "TfIdfVectorizer ngram_indexes=[0, 6, 2]";
  RULE_CASES(
      {"one row", node, "i64[C]", "f32[7]"}, {"rows", node, "str[N,C]", "f32[N,7]"},
      {"unknown rank", node, "i32?", "f32?"},
      {"bad C1 rank", node, "i64[N,M,C]", error("SHP103 C1")},
      {"bad C2 indexes", "TfIdfVectorizer", "i64[C]", error("SHP106 C2")},
      {"bad C2 negative", "TfIdfVectorizer ngram_indexes=[-1]", "i64[C]", error("SHP106 C2")},
      {"bad C3 type", node, "f32[C]", error("SHP102 C3")});
}

}  // namespace
}  // namespace onnx_shapes
