// Older forms of ONNX operators in ONNX Runtime's own domain.
#include "tests/rules/rule_cases.h"

namespace onnx_shapes::test {
namespace {

const auto kMs = domain("com.microsoft");

}  // namespace

TEST_CASE("Older forms of ONNX operators", "[contrib]") {
  RULE_CASES(
      {"Range", "Range", "i64[]{1} i64[]{7} i64[]{2}", "i64[3]", kMs},
      {"Range up to a symbol", "Range", "i64[]{0} i64[]{N}", "i64[N]", kMs},
      {"an empty Range", "Range", "i64[]{5} i64[]{2}", "i64[0]", kMs},
      {"Range of unknown step", "Range", "i64[]{0} i64[]{N} i64[]", "i64[?]", kMs},
      {"bad C1 of Range", "Range", "i64[2,2] i64[]{N}", error("SHP103 C1"), kMs},
      {"Pad", "Pad", "f32[N,M] i64[4]{1,0,0,2} f32[]", "f32[N + 1,M + 2]", kMs},
      {"Pad by unknown sizes", "Pad", "f32[N,M] i64[4]", "f32[?,?]", kMs},
      {"bad C1 of Pad", "Pad", "f32[N,M] i64[2]{1,0}", error("SHP104 C1"), kMs},
      {"GatherND", "GatherND", "f32[N,M,K] i64[P,2]", "f32[P,K]", kMs},
      {"GatherND of unknown depth", "GatherND", "f32[N,M,K] i64[P,Q]", "f32?", kMs},
      {"bad C1 of GatherND", "GatherND", "f32[N] i64[]", error("SHP103 C1"), kMs},
      {"bad C2 of GatherND", "GatherND", "f32[N] i64[P,2]", error("SHP104 C2"), kMs},
      {"UnfoldTensor", "UnfoldTensor dim=1 size=3 step=2", "f32[2,9,N]", "f32[2,4,N,3]", kMs},
      {"bad C1 of UnfoldTensor", "UnfoldTensor dim=3 size=3", "f32[N]", error("SHP106 C1"), kMs},
      {"bad C2 of UnfoldTensor", "UnfoldTensor dim=0 size=0", "f32[N]", error("SHP106 C2"), kMs},
      {"masked pool", "MaxpoolWithMask kernel_shape=[2, 2]", "f32[N,C,H,W] i32[N,C,H,W]",
       "f32[N,C,H - 1,W - 1]", kMs},
      {"pool with channels last", "NhwcMaxPool kernel_shape=[2, 2] strides=[2, 2]", "u8[N,H,W,C]",
       "u8[N,H//2,W//2,C]", kMs},
      {"bad C1 of a pool", "NhwcMaxPool kernel_shape=[2]", "u8[N,C]", error("SHP103 C1"), kMs},
      {"bad W1 of a pool", "NhwcMaxPool kernel_shape=[2]", "u8[N,H,W,C]", error("SHP106 W1"), kMs},
      {"ComplexMul", "ComplexMul", "f32[N,M,2] f32[M,2]", "f32[N,M,2]", kMs},
      {"bad C1 of ComplexMul", "ComplexMul", "f32[3,2] f32[4,2]", error("SHP105 C1"), kMs},
      {"bad T1 of ComplexMul", "ComplexMul", "f32[3,2] f16[3,2]", error("SHP102 T1"), kMs},
      {"Rfft", "Rfft signal_ndim=1 onesided=1 normalized=0", "f32[N,9]", "f32[N,5,2]", kMs},
      {"bad C1 of Rfft", "Rfft", "f32[]", error("SHP103 C1"), kMs},
      {"bad C2 of Rfft", "Rfft signal_ndim=4", "f32[N]", error("SHP106 C2"), kMs},
      {"Irfft", "Irfft signal_ndim=1 onesided=1", "f32[N,5,2]", "f32[N,8]", kMs},
      {"bad C1 of Irfft", "Irfft", "f32[N]", error("SHP103 C1"), kMs},
      {"bad C2 of Irfft", "Irfft", "f32[N,3]", error("SHP105 C2"), kMs},
      {"mean", "QLinearReduceMean axes=[1] keepdims=0", "u8[N,M,K] f32[] u8[]", "u8[N,K]", kMs},
      {"mean of all", "QLinearReduceMean", "u8[N,M] f32[] u8[]", "u8[1,1]", kMs},
      {"bad C1 of mean", "QLinearReduceMean axes=[2]", "u8[N,M] f32[] u8[]", error("SHP106 C1"),
       kMs},
      {"blocks", "GatherBlockQuantized bits=8 block_size=16", "u8[V,16] i64[B,S] f32[V,1]",
       "f32[B,S,16]", kMs},
      {"packed blocks", "GatherBlockQuantized bits=4 block_size=16", "u8[V,16] i64[B] f16[V,2]",
       "f16[B,32]", kMs},
      {"bad C1 of blocks", "GatherBlockQuantized gather_axis=2", "i4[V,16] i64[B] f16[V,1]",
       error("SHP106 C1"), kMs},
      {"bad C2 of blocks", "GatherBlockQuantized bits=3", "u8[V,16] i64[B] f16[V,1]",
       error("SHP106 C2"), kMs});
}

TEST_CASE("Older operators of training and of sparse and recurrent models", "[contrib]") {
  const std::string pads = "f32[N,3,H] f32[3,4,2] ";
  RULE_CASES(
      {"a mask of bits", "BitmaskDropout", "f32[2,33]", "f32[2,33] u32[3]", kMs},
      {"of symbols", "BitmaskBiasDropout", "f32[N,64] f32[64]", "f32[N,64] u32[2*N]", kMs},
      {"pads of an input", "ConvTransposeWithDynamicPads strides=[2]", pads + "i64[2]{1,0}",
       "f32[N,4,2*H - 1]", kMs},
      {"symbolic pads", "ConvTransposeWithDynamicPads strides=[2]", pads + "i64[2]{P,P}",
       "f32[N,4,2*H - 2*P]", kMs},
      {"pads that a run gives", "ConvTransposeWithDynamicPads strides=[2]", pads + "i64[2]",
       "f32[N,4,?]", kMs},
      {"no pads", "ConvTransposeWithDynamicPads strides=[2] output_padding=[1] group=2", pads,
       "f32[N,8,2*H + 1]", kMs},
      {"bad C1", "ConvTransposeWithDynamicPads", "f32[N,3,H] f32[3,4,2,2]", error("SHP103 C1"),
       kMs},
      {"bad C2", "ConvTransposeWithDynamicPads", "f32[N,2,H] f32[3,4,2]", error("SHP105 C2"), kMs},
      {"bad C3", "ConvTransposeWithDynamicPads group=0", pads, error("SHP106 C3"), kMs},
      {"bad C4", "ConvTransposeWithDynamicPads", pads + "i64[4]{0,0,1,1}", error("SHP104 C4"), kMs},
      {"bad C6", "ConvTransposeWithDynamicPads output_padding=[1, 1]", pads, error("SHP106 C6"),
       kMs},
      {"bad W2", "ConvTransposeWithDynamicPads strides=[1, 1]", pads, error("SHP106 W2"), kMs},
      {"AttnLSTM", "AttnLSTM hidden_size=5 direction=\"bidirectional\"",
       "f32[S,B,I] f32[2,20,I] f32[2,20,5]", "f32[S,2,B,5] f32[2,B,5] f32[2,B,5]", kMs},
      {"a size that R says", "AttnLSTM", "f32[S,B,I] f32[1,20,I] f32[1,20,5]", "f32[S,1,B,5]", kMs},
      {"bad C1 of AttnLSTM", "AttnLSTM", "f32[S,I] f32[1,20,I] f32[1,20,5]", error("SHP103 C1"),
       kMs},
      {"sums of integers", "ReduceSumInteger axes=[0] keepdims=1", "i8[N,M]", "i32[1,M]", kMs},
      {"of unsigned ones", "ReduceSumInteger axes=[0] keepdims=0", "u8[N,M]", "u32[M]", kMs},
      {"bad C1 of sums", "ReduceSumInteger axes=[2] keepdims=0", "u8[N,M]", error("SHP106 C1"),
       kMs},
      {"SparseToDenseMatMul", "SparseToDenseMatMul transB=1", "sparse(f32[M,K]) f32[N,K]",
       "f32[M,N]", kMs},
      {"bad C2 of SparseToDenseMatMul", "SparseToDenseMatMul transA=1", "sparse(f32[3,M]) f32[4,N]",
       error("SHP105 C2"), kMs},
      {"bad C1 of SparseToDenseMatMul", "SparseToDenseMatMul", "sparse(f32[B,M,K]) f32[K,N]",
       error("SHP103 C1"), kMs});
}

}  // namespace onnx_shapes::test
