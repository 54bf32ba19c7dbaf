#include "tests/rules/rule_cases.h"

namespace onnx_shapes {
namespace {

using namespace test;

TEST_CASE("Sequences are built") {
  RULE_CASES(
      {"construct", "SequenceConstruct", "f32[N,3] f32[N,4]", "seq(f32[N,?];2)"},
      {"construct of different ranks", "SequenceConstruct", "f32[N] f32[N,4]", "seq(f32?;2)"},
      {"empty", "SequenceEmpty", "", "seq(f32?;0)"},
      {"empty of a type", "SequenceEmpty dtype=7", "", "seq(i64?;0)"},
      {"insert", "SequenceInsert", "seq(f32[N,M];K) f32[N,3]", "seq(f32[N,?];K + 1)"},
      {"insert at a position", "SequenceInsert", "seq(f32[N];2) f32[N] i64{0}", "seq(f32[N];3)"},
      {"insert into an empty one", "SequenceInsert", "seq(f32?;0) f32[N,3]", "seq(f32[N,3];1)"},
      {"insert into an unknown one", "SequenceInsert", "? f32[N,3]", "seq(?)"},
      {"erase", "SequenceErase", "seq(f32[N];K)", "seq(f32[N];K - 1)", bounds("1 <= K")},
      {"bad construct C1", "SequenceConstruct", "", error("SHP101 C1")},
      {"bad construct C2", "SequenceConstruct", "f32[N] i64[N]", error("SHP102 C2")},
      {"bad insert C1", "SequenceInsert", "f32[N] f32[N]", error("SHP102 C1")},
      {"bad insert C2", "SequenceInsert", "seq(f32[N]) i64[N]", error("SHP102 C2")},
      {"bad insert C3", "SequenceInsert", "seq(f32[N]) f32[N] f32", error("SHP102 C3")},
      {"bad erase C1", "SequenceErase", "f32[N]", error("SHP102 C1")},
      {"bad erase C3", "SequenceErase", "seq(f32[N]) f32", error("SHP102 C3")},
      {"bad erase C4", "SequenceErase", "seq(f32[N];0)", error("SHP107 C4")});
}

TEST_CASE("Sequences are read") {
  RULE_CASES(
      {"at", "SequenceAt", "seq(f32[N,3];K) i64", "f32[N,3]", bounds("1 <= K")},
      {"at of dims that differ", "SequenceAt", "seq(f32[N,?];2) i64", "f32[N,?]"},
      {"length", "SequenceLength", "seq(f32[N];K)", "i64{K}"},
      {"length that is not known", "SequenceLength", "seq(f32[N])", "i64"},
      {"concat", "ConcatFromSequence axis=-1", "seq(f32[N,3];K)", "f32[N,3*K]"},
      {"concat of dims that differ", "ConcatFromSequence axis=1", "seq(f32[N,?];2)", "f32[N,?]"},
      {"stack", "ConcatFromSequence axis=-1 new_axis=1", "seq(f32[N,3];K)", "f32[N,3,K]"},
      {"concat of unknown rank", "ConcatFromSequence axis=0", "seq(f32?;2)", "f32?"},
      {"bad at C1", "SequenceAt", "f32[N] i64", error("SHP102 C1")},
      {"bad at C3", "SequenceAt", "seq(f32[N]) f32", error("SHP102 C3")},
      {"bad at C4", "SequenceAt", "seq(f32[N];0) i64", error("SHP107 C4")},
      {"bad length C1", "SequenceLength", "f32[N]", error("SHP102 C1")},
      {"bad concat C1", "ConcatFromSequence axis=0", "f32[N]", error("SHP102 C1")},
      {"bad concat C2", "ConcatFromSequence axis=1", "seq(f32[N])", error("SHP106 C2")},
      {"bad concat C2 missing", "ConcatFromSequence", "seq(f32[N])", error("SHP106 C2")});
}

TEST_CASE("SplitToSequence") {
  RULE_CASES(
      {"parts of 1", "SplitToSequence axis=1", "f32[N,C]", "seq(f32[N,1];C)"},
      {"without the axis", "SplitToSequence axis=1 keepdims=0", "f32[N,C]", "seq(f32[N];C)"},
      {"parts of the same length", "SplitToSequence", "f32[6] i64{2}", "seq(f32[2];3)"},
      {"the last part is shorter", "SplitToSequence", "f32[N] i64{2}", "seq(f32[?];(N + 1)//2)"},
      {"one part", "SplitToSequence", "f32[5] i64{7}", "seq(f32[5];1)"},
      {"keepdims means nothing with split", "SplitToSequence keepdims=0", "f32[6] i64{2}",
       "seq(f32[2];3)"},
      {"lengths", "SplitToSequence", "f32[N] i64[2]{2,3}", "seq(f32[?];2)", facts("N == 5")},
      {"equal lengths", "SplitToSequence", "f32[N,C] i64[2]{S,S}", "seq(f32[S,C];2)",
       facts("N == 2*S")},
      {"unknown lengths", "SplitToSequence", "f32[N,C] i64[K]", "seq(f32[?,C];K)"},
      {"unknown rank", "SplitToSequence", "f32? i64[K]", "seq(f32?;K)"},
      {"bad C3 rank", "SplitToSequence", "f32[N] i64[1,1]{1}", error("SHP103 C3")},
      {"bad C4 axis", "SplitToSequence axis=1", "f32[N]", error("SHP106 C4")},
      {"bad C5 negative", "SplitToSequence", "f32[N] i64[1]{-1}", error("SHP107 C5")},
      {"bad C5 zero", "SplitToSequence", "f32[N] i64{0}", error("SHP107 C5")},
      {"bad C6 sum", "SplitToSequence", "f32[4] i64[2]{2,3}", error("SHP105 C6")},
      {"bad type", "SplitToSequence", "f32[4] f32{2}", error("SHP102 I")});
}

TEST_CASE("SequenceAt of a sequence whose making is known") {
  RULE_CASES({"a part of its own length",
              "{ i = Constant <value_int: int = 1> () s = SplitToSequence <axis: int = 1> (x0, x1) "
              "y0 = SequenceAt (s, i) }",
              "f32[N,5] i64[2]{2,3}", "f32[N,3]"},
             {"a part from the back",
              "{ i = Constant <value_int: int = -2> () s = SplitToSequence (x0, x1) "
              "y0 = SequenceAt (s, i) }",
              "f32[A + B,C] i64[2]{A,B}", "f32[A,C]"},
             {"a chunk",
              "{ i = Constant <value_int: int = 1> () s = SplitToSequence (x0, x1) "
              "y0 = SequenceAt (s, i) }",
              "f32[N] i64{4}", "f32[min(N - 4,4)]"},
             {"the last chunk",
              "{ i = Constant <value_int: int = -1> () s = SplitToSequence (x0, x1) "
              "y0 = SequenceAt (s, i) }",
              "f32[10] i64{4}", "f32[2]"},
             {"an element",
              "{ i = Constant <value_int: int = -1> () s = SequenceConstruct (x0, x1) "
              "y0 = SequenceAt (s, i) }",
              "f32[N] f32[M,2]", "f32[M,2]"},
             {"an element at an unknown place",
              "{ s = SequenceConstruct (x0, x1) y0 = SequenceAt (s, x2) }", "f32[N] f32[M] i64",
              "f32[?]"});
}

TEST_CASE("Optionals") {
  RULE_CASES({"of a tensor", "Optional", "f32[N]", "opt(f32[N];1)"},
             {"of a sequence", "Optional", "seq(f32[N];2)", "opt(seq(f32[N];2);1)"},
             {"bad C1 of nothing", "Optional", "", error("SHP101 C1")},
             {"has", "OptionalHasElement", "opt(f32[N])", "bool"},
             {"a full one has", "OptionalHasElement", "opt(f32[N];1)", "bool{1}"},
             {"an empty one has not", "OptionalHasElement", "opt(f32[N];0)", "bool{0}"},
             {"a tensor has", "OptionalHasElement", "f32[N]", "bool{1}"},
             {"nothing has not", "OptionalHasElement", "", "bool{0}"},
             {"get", "OptionalGetElement", "opt(f32[N])", "f32[N]"},
             {"get a sequence", "OptionalGetElement", "opt(seq(f32[N];2))", "seq(f32[N];2)"},
             {"get of a tensor", "OptionalGetElement", "i64[2]{N,3}", "i64[2]{N,3}"},
             {"get of a constant", "OptionalGetElement", "i64[2]{4,3}", "i64[2]{4,3}"});
}

}  // namespace
}  // namespace onnx_shapes
