#include "tests/rules/fact_text.h"

#include "facts/symbols.h"
#include "tests/support/catch.h"

namespace onnx_shapes::test {
namespace {

struct Symbols {
  Pool pool;
  SymbolTable table{pool};
  Names names = [this](std::string_view name) {
    return table.author(name, SymbolKind::kInput, Interval::at_least(0), {});
  };
};

TEST_CASE("a fact is read and written back") {
  const std::string text =
      GENERATE(as<std::string>(), "f32[N,3]", "f32", "f32?", "?", "i64[2]{N,-1}", "i64[2]{?,N + 1}",
               "f32[1]{1/2}", "f64[2]{N/2,(N + 1)/4}", "bool[0]{}", "seq(f32[N];3)", "seq(?)",
               "opt(seq(u8[N]))", "map(i64;f32[N])", "sparse(f32[N])", "undef[?,max(M, N)]");
  Symbols symbols;
  const auto read = read_fact(symbols.pool, text, symbols.names);
  REQUIRE(read.ok());
  const std::string rational = "f64[2]{N/2,(N + 1)/4}";
  CHECK(write_fact(read->fact) == (text == rational ? "f64[2]{(N)/2,(N + 1)/4}" : text));
}

TEST_CASE("a malformed fact is refused") {
  const std::string text = GENERATE(as<std::string>(), "f33[N]", "f32[N", "f32[N}", "i64[2]{1}",
                                    "f32[N]x", "seq(f32", "list(f32)", "f32[N +]");
  Symbols symbols;
  CHECK_FALSE(read_fact(symbols.pool, text, symbols.names).ok());
}

TEST_CASE("constants are told from computed contents") {
  Symbols symbols;
  const auto constant = [&](std::string_view text) {
    const auto read = read_fact(symbols.pool, text, symbols.names);
    REQUIRE(read.ok());
    return read->constant();
  };
  CHECK(constant("i64[2]{1,-1}"));
  CHECK(constant("str[1]{\"a b\"}"));
  CHECK_FALSE(constant("i64[2]{1,N}"));
  CHECK_FALSE(constant("i64[2]{1,?}"));
  CHECK_FALSE(constant("i64[2]"));
  CHECK_FALSE(constant("f32?"));
}

}  // namespace
}  // namespace onnx_shapes::test
