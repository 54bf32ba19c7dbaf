// Which names of dims a tool has made up.
#include "infer/made_up.h"

#include "tests/support/text_model.h"

namespace onnx_shapes::test {
namespace {

TEST_CASE("Names that tools make up are told from an author's") {
  LoadedModel loaded = load_text(with_header(
      "g (float[N] x, int64[1] past_seq) => (y) { nz_all = NonZero(x) y = Identity(nz_all) }"));
  MadeUpNames names(*loaded);
  for (const char* name :
       {"unk__0", "unk__123", "Reshape_471_o0__d2", "ConvTranspose_459_o0__d3", "NonZero7_o0_d1",
        "_d0", "_d17", "NonZero_nz_all_nnz", "NonZero_nz_all_d0_2", "Identity_y_d0",
        "past_seq_value", "past_seq_value0", "Addy_dim_0", "NonZerox_dim_12"}) {
    INFO(name);
    CHECK(names.contains(name));
  }
  for (const char* name : {"N",
                           "batch",
                           "past_seq_len",
                           "total_seq_len",
                           "unk",
                           "unk__",
                           "unk__x",
                           "d0",
                           "_d",
                           "x_0",
                           "s0",
                           "o0_d1",
                           "_o0__d1",
                           "Reshape_o0__d2",
                           "NonZero_nz",
                           "NonZero_other_nnz",
                           "NonZero_y_nnz",
                           "other_value",
                           "max_value",
                           "_value",
                           "DynamicDimension.0",
                           "Addother_dim_0",
                           "NonZeronz_all_dim_0",
                           "y_dim_0",
                           "Y_dim_0",
                           "addy_dim_0",
                           "Addy_dim_",
                           "Addy_dim_x",
                           "_dim_0",
                           ""}) {
    INFO(name);
    CHECK(!names.contains(name));
  }
}

}  // namespace
}  // namespace onnx_shapes::test
