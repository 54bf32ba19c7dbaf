// Classical machine learning.
#include "tests/rules/rule_cases.h"

namespace onnx_shapes::test {
namespace {

const auto kMl = domain("ai.onnx.ml");

}  // namespace

TEST_CASE("Features", "[classical]") {
  RULE_CASES(
      {"columns", "ArrayFeatureExtractor", "f32[N,C] i64[K]", "f32[N,K]", kMl},
      {"columns of a vector", "ArrayFeatureExtractor", "i64[C] i64[1,3]", "i64[1,3]", kMl},
      {"columns of unknown count", "ArrayFeatureExtractor", "f32[N,C] i64?", "f32[N,?]", kMl},
      {"columns of unknown rank", "ArrayFeatureExtractor", "f32? i64[K]", "f32?", kMl},
      {"bad C1 of columns", "ArrayFeatureExtractor", "f32[] i64[K]", error("SHP103 C1"), kMl},
      {"bad T1 of columns", "ArrayFeatureExtractor", "f32[N] i32[K]", error("SHP102 T1"), kMl},
      {"Binarizer", "Binarizer threshold=0.5", "f64[N,C]", "f64[N,C]", kMl},
      {"Imputer", "Imputer imputed_value_floats=[0.0]", "f32?", "f32?", kMl},
      {"bad T1", "Binarizer", "str[N]", error("SHP102 T1"), kMl},
      {"Normalizer", "Normalizer norm=\"L2\"", "i64[N,C]", "f32[N,C]", kMl},
      {"Scaler", "Scaler scale=[1.0]", "f64[N,C]", "f32[N,C]", kMl},
      {"bad T1 of floats", "Scaler", "str[N]", error("SHP102 T1"), kMl},
      {"side by side", "FeatureVectorizer inputdimensions=[2, 3]", "f32[N,2] i64[N,3]", "f32[N,5]",
       kMl},
      {"bad C1 of vectors", "FeatureVectorizer inputdimensions=[2]", "f32[N,2,2]",
       error("SHP103 C1"), kMl},
      {"bad C2 of vectors", "FeatureVectorizer inputdimensions=[2]", "f32[N,2] f32[N,3]",
       error("SHP106 C2"), kMl},
      {"bad T1 of vectors", "FeatureVectorizer inputdimensions=[2]", "bool[N,2]",
       error("SHP102 T1"), kMl},
      {"one hot", "OneHotEncoder cats_int64s=[1, 2, 3]", "i64[N,M]", "f32[N,M,3]", kMl},
      {"one hot of strings", "OneHotEncoder cats_strings=[\"a\", \"b\"]", "str?", "f32?", kMl},
      {"bad C1 of one hot", "OneHotEncoder", "i64[N]", error("SHP106 C1"), kMl});
}

TEST_CASE("Categories and maps", "[classical]") {
  RULE_CASES(
      {"strings to integers", "CategoryMapper cats_int64s=[1] cats_strings=[\"a\"]", "str[N,M]",
       "i64[N,M]", kMl},
      {"integers to strings", "CategoryMapper cats_int64s=[1] cats_strings=[\"a\"]", "i64[N]",
       "str[N]", kMl},
      {"bad T1 of categories", "CategoryMapper", "f32[N]", error("SHP102 T1"), kMl},
      {"encoder to floats", "LabelEncoder keys_strings=[\"a\"] values_floats=[0.5]", "str[N,1]",
       "f32[N,1]", kMl},
      {"encoder by tensor", "LabelEncoder values_tensor=int16[1]{3} keys_int64s=[1]", "i64[N]",
       "i16[N]", kMl},
      {"encoder of opset 1", "LabelEncoder classes_strings=[\"a\"]", "str[N]", "i64[N]", kMl,
       opset(1)},
      {"bad C1 of an encoder", "LabelEncoder keys_int64s=[1]", "i64[N]", error("SHP106 C1"), kMl},
      {"a map's values", "CastMap map_form=\"SPARSE\" max_map=5", "map(i64;f32[])", "f32[1,5]",
       kMl},
      {"a map's values of any count", "CastMap cast_to=\"TO_STRING\"", "map(i64;str[])",
       "str[1,CastMap_y0_count]", kMl},
      {"bad C1 of a map", "CastMap cast_to=\"TO_INT\"", "map(i64;f32[])", error("SHP106 C1"), kMl},
      {"bad C2 of a map", "CastMap map_form=\"THIN\"", "map(i64;f32[])", error("SHP106 C2"), kMl},
      {"vocabulary", "DictVectorizer string_vocabulary=[\"a\", \"b\"]", "map(str;f64[])",
       "f64[1,2]", kMl},
      {"bad C1 of a vocabulary", "DictVectorizer", "map(str;f64[])", error("SHP106 C1"), kMl},
      {"ZipMap", "ZipMap classlabels_int64s=[0, 1, 2]", "f32[N,C]", "seq(map(i64;f32[]);N)",
       facts("C == 3"), kMl},
      {"ZipMap of a vector", "ZipMap classlabels_strings=[\"a\", \"b\"]", "f32[2]",
       "seq(map(str;f32[]);1)", kMl},
      {"bad C1 of ZipMap", "ZipMap classlabels_int64s=[0]", "f32[N,C,1]", error("SHP103 C1"), kMl},
      {"bad C2 of ZipMap", "ZipMap classlabels_int64s=[0]", "f32[N,2]", error("SHP105 C2"), kMl});
}

TEST_CASE("Classifiers and regressors", "[classical]") {
  RULE_CASES(
      {"linear classifier",
       "LinearClassifier classlabels_ints=[0, 1, 2] intercepts=[0.0, 0.0, 0.0]", "f32[N,C]",
       "i64[N] f32[N,3]", kMl},
      {"binary linear classifier",
       "LinearClassifier classlabels_strings=[\"a\", \"b\"] intercepts=[0.0]", "f32[C]",
       "str[1] f32[1,2]", kMl},
      {"labels that do not fit", "LinearClassifier classlabels_ints=[0, 1, 2] intercepts=[0.0]",
       "f32[N,C]", "i64[N] f32[N,?]", kMl},
      {"support vectors", "SVMClassifier classlabels_ints=[0, 1]", "f32[N,C]", "i64[N] f32[N,2]",
       kMl},
      {"support vectors with probabilities",
       "SVMClassifier classlabels_ints=[0, 1, 2] prob_a=[1.0]", "f32?", "i64[?] f32[?,3]", kMl},
      {"trees", "TreeEnsembleClassifier classlabels_strings=[\"a\", \"b\"]", "f64[N,C]",
       "str[N] f32[N,2]", kMl},
      {"trees of one class", "TreeEnsembleClassifier classlabels_int64s=[1]", "f32[N,C]",
       "i64[N] f32[N,?]", kMl},
      {"bad C1 of a classifier", "TreeEnsembleClassifier", "f32[N,C,1]", error("SHP103 C1"), kMl},
      {"bad T1 of a classifier", "SVMClassifier", "str[N,C]", error("SHP102 T1"), kMl},
      {"linear regressor", "LinearRegressor targets=2", "f32[N,C]", "f32[N,2]", kMl},
      {"bad C1 of a regressor", "LinearRegressor", "f32[N,C,1]", error("SHP103 C1"), kMl},
      {"bad C2 of a regressor", "LinearRegressor targets=0", "f32[N,C]", error("SHP106 C2"), kMl},
      {"bad T1 of a regressor", "LinearRegressor", "str[N,C]", error("SHP102 T1"), kMl},
      {"support vector regressor", "SVMRegressor", "f32[C]", "f32[1,1]", kMl},
      {"bad T1 of a support vector regressor", "SVMRegressor", "str[N,C]", error("SHP102 T1"), kMl},
      {"tree regressor", "TreeEnsembleRegressor n_targets=3", "f64[N,C]", "f32[N,3]", kMl},
      {"bad C2 of a tree regressor", "TreeEnsembleRegressor", "f64[N,C]", error("SHP106 C2"), kMl},
      {"trees of opset 5", "TreeEnsemble n_targets=3", "f64[N,C]", "f64[N,3]", kMl},
      {"trees of opset 5, one target", "TreeEnsemble", "f32?", "f32[?,1]", kMl});
}

}  // namespace onnx_shapes::test
