// Table tests of operator rules: one row is one node, the facts of its inputs and what must follow.
//
//   RULE_CASES({"C3 adds the lengths", "Concat axis=-1", "f32[N,3] f32[N,S]", "f32[N,S + 3]"},
//              {"C3 uses equal dims", "Concat axis=1", "f32[N,3] f32[M,5]", "f32[N,8]",
//               facts("N == M")},
//              {"bad C2 rank", "Concat axis=0", "f32[N,3] f32[N]", error("SHP103 C2")},
//              {"opset 1", "Concat", "f32[N,3] f32[N,5]", "f32[N,8]", opset(1)});
//
// A row is {name, node, inputs, outputs, options...}; a row with an error may leave out `outputs`.
//
// node     `Op name=value ...`; a value is what the ONNX text format writes, without spaces outside
//          of brackets and quotes: `axis=-1`, `pads=[1, 1]`, `alpha=0.5`, `mode="linear"`,
//          `value=int64[2]{1,2}`, `axes:ints=[]`. Or `Op <...>` with the attributes as ONNX text.
//          Or a whole body in braces, `{ s = Shape(x0) y0 = Expand(x1, s) }`, whose inputs are
//          x0, x1, ... and whose outputs are y0, y1, ...
// inputs   facts, separated by spaces:
//            f32[N,3]      a tensor; a dim is an expression over names, or `?`
//            f32           a scalar (also `f32[]`)
//            f32?          a tensor of unknown rank
//            i64[2]{N,-1}  a tensor with contents in row-major order: expressions, `?` where an
//                          element is unknown, numbers, fractions (f32[1]{1/2}), strings
//                          (str[1]{"a"}). All numbers or strings: a constant of the model.
//            seq(f32[N])   a sequence; with a length: seq(f32[N];3)
//            opt(f32[N])   an optional; opt(f32[N];1) holds it, opt(f32;0) is empty
//            map(i64;f32[N]) sparse(f32[N])
//            ?             a value of which nothing is known
//            -             an input that is left out
//          Types: f32 f64 f16 bf16 i8 i16 i32 i64 u8 u16 u32 u64 i4 u4 i2 u2 bool str c64 c128
//          f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz f4e2m1 f8e8m0, and `undef` for a tensor of
//          unknown type.
//          A name stands for a symbol of a graph input, of range [0, inf). A name that starts with
//          `v_` is an integer of which nothing is known, of range (-inf, inf).
// outputs  the same. Contents are compared only where braces are written; `none` in the braces,
//          i64[2]{none}, says that nothing may be known. `?` as a dim or an element is one that is
//          unknown or made of symbols that inference made; a made symbol has the name that
//          InferContext::fresh() gives it, of node `n` and outputs y0, y1, ...: NonZero_y0_nnz.
//          `-` leaves an output out of the node (not compared).
// options  error("SHP103 C2")   there is a finding of that code whose text has `C2`, and no other
//                               error; warning(...) in the same way
//          facts("N == M")      follows from what the rule recorded; more of them joined by &&
//          bounds("a <= N*M")   the same, for upper bounds
//          opset(11)            of the node's domain (default: the newest of the schemas)
//          domain("com.microsoft")
//          given("N >= 1")      a range of an input's symbol: N >= 1, N <= 5; joined by &&
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tests/support/catch.h"

namespace onnx_shapes::test {

struct ErrorOption {
  std::string text;
};
struct WarningOption {
  std::string text;
};
struct FactsOption {
  std::string text;
};
struct BoundsOption {
  std::string text;
};
struct GivenOption {
  std::string text;
};
struct OpsetOption {
  int64_t version;
};
struct DomainOption {
  std::string name;
};

inline ErrorOption error(std::string text) { return {std::move(text)}; }
inline WarningOption warning(std::string text) { return {std::move(text)}; }
inline FactsOption facts(std::string text) { return {std::move(text)}; }
inline BoundsOption bounds(std::string text) { return {std::move(text)}; }
inline GivenOption given(std::string text) { return {std::move(text)}; }
inline OpsetOption opset(int64_t version) { return {version}; }
inline DomainOption domain(std::string name) { return {std::move(name)}; }

struct RuleCase {
  std::string name;
  std::string node;
  std::string inputs;
  std::optional<std::string> outputs;
  std::string error, warning, facts, bounds, given, domain;
  std::optional<int64_t> opset;

  template <class... Rest>
  RuleCase(std::string case_name, std::string node_text, std::string input_facts, Rest... rest)
      : name(std::move(case_name)), node(std::move(node_text)), inputs(std::move(input_facts)) {
    (take(std::move(rest)), ...);
  }

 private:
  void take(const char* text) { outputs = text; }
  void take(std::string text) { outputs = std::move(text); }
  void take(ErrorOption option) { error = std::move(option.text); }
  void take(WarningOption option) { warning = std::move(option.text); }
  void take(FactsOption option) { facts = std::move(option.text); }
  void take(BoundsOption option) { bounds = std::move(option.text); }
  void take(GivenOption option) { given = std::move(option.text); }
  void take(OpsetOption option) { opset = option.version; }
  void take(DomainOption option) { domain = std::move(option.name); }
};

/// What is wrong with a row's result; empty if nothing is.
[[nodiscard]] std::string check_rule_case(const RuleCase& rule_case);

/// Runs each row and reports all that fail.
inline void run_rule_cases(std::initializer_list<RuleCase> cases) {
  for (const RuleCase& rule_case : cases) {
    INFO(rule_case.name << ": " << rule_case.node << " of " << rule_case.inputs);
    CHECK(check_rule_case(rule_case) == "");
  }
}

}  // namespace onnx_shapes::test

#define RULE_CASES(...) ::onnx_shapes::test::run_rule_cases({__VA_ARGS__})
