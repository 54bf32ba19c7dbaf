// Recurrent networks.
#include "tests/rules/rule_cases.h"

namespace onnx_shapes::test {

TEST_CASE("Recurrent networks", "[recurrent]") {
  RULE_CASES(
      {"RNN", "RNN hidden_size=5", "f32[S,B,I] f32[1,5,I] f32[1,5,5]", "f32[S,1,B,5] f32[1,B,5]"},
      {"GRU", "GRU hidden_size=5", "f32[S,B,I] f32[1,15,I] f32[1,15,5] f32[1,30]",
       "f32[S,1,B,5] f32[1,B,5]"},
      {"LSTM", "LSTM hidden_size=5",
       "f32[S,B,I] f32[1,20,I] f32[1,20,5] f32[1,40] i32[B] f32[1,B,5] f32[1,B,5] f32[1,15]",
       "f32[S,1,B,5] f32[1,B,5] f32[1,B,5]"},
      {"two directions", "LSTM hidden_size=5 direction=\"bidirectional\"",
       "f32[S,B,I] f32[2,20,I] f32[2,20,5]", "f32[S,2,B,5] f32[2,B,5] f32[2,B,5]"},
      {"the batch first", "GRU hidden_size=5 layout=1", "f32[B,S,I] f32[1,15,I] f32[1,15,5]",
       "f32[B,S,1,5] f32[B,1,5]"},
      {"without Y", "LSTM hidden_size=5", "f32[S,B,I] f32[1,20,I] f32[1,20,5]",
       "- f32[1,B,5] f32[1,B,5]"},
      {"hidden_size of R", "RNN", "f32[S,B,I] f32[1,5,I] f32[1,5,5]", "f32[S,1,B,5] f32[1,B,5]"},
      {"hidden_size of W alone", "GRU", "f32[S,B,I] f32[1,15,I] f32?", "f32[S,1,B,5] f32[1,B,5]"},
      {"C2 shared dims", "GRU hidden_size=5", "f32[S,B,I] f32[1,G,J] f32[1,15,H] - i32[C]",
       "f32[S,1,B,5]", facts("G == 15 && I == J && H == 5 && B == C")},
      {"unknown ranks", "RNN hidden_size=5", "f32? f32? f32?", "f32[?,1,?,5] f32[1,?,5]"},
      {"opset 1", "GRU hidden_size=5 output_sequence=1", "f32[S,B,I] f32[1,15,I] f32[1,15,5]",
       "f32[S,1,B,5] f32[1,B,5]", opset(1)},
      {"bad C1", "RNN hidden_size=5", "f32[S,B] f32[1,5,3] f32[1,5,5]", error("SHP103 C1")},
      {"bad C2 input", "RNN hidden_size=5", "f32[S,B,4] f32[1,5,3] f32[1,5,5]", error("SHP105 C2")},
      {"bad C2 gates", "GRU hidden_size=5", "f32[S,B,4] f32[1,20,4] f32[1,15,5]",
       error("SHP105 C2")},
      {"bad C2 state", "RNN hidden_size=5", "f32[S,2,3] f32[1,5,3] f32[1,5,5] - - f32[1,4,5]",
       error("SHP105 C2")},
      {"bad C3", "RNN hidden_size=5 direction=\"both\"", "f32[S,B,3] f32[1,5,3] f32[1,5,5]",
       error("SHP106 C3")},
      {"bad C4", "RNN hidden_size=5 layout=2", "f32[S,B,3] f32[1,5,3] f32[1,5,5]",
       error("SHP106 C4")},
      {"bad C5", "RNN hidden_size=0", "f32[S,B,3] f32[1,5,3] f32[1,5,5]", error("SHP106 C5")},
      {"bad T1", "RNN hidden_size=5", "f32[S,B,3] f64[1,5,3] f32[1,5,5]", error("SHP102 T1")},
      {"bad T2", "RNN hidden_size=5", "f32[S,B,3] f32[1,5,3] f32[1,5,5] - i64[B]",
       error("SHP102 T2")});
}

}  // namespace onnx_shapes::test
