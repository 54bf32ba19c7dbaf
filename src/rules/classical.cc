// Classical machine learning: the operators of ai.onnx.ml.
#include <fmt/format.h>

#include <algorithm>

#include "rules/numeric_types.h"
#include "rules/rules.h"

namespace onnx_shapes {
namespace {

constexpr std::array kFeatureTypes = {ElemType::kFloat, ElemType::kDouble, ElemType::kInt64,
                                      ElemType::kInt32, ElemType::kFloat16};
constexpr std::array kCategoryTypes = {ElemType::kString, ElemType::kInt64};

/// X as an optional shape, for outputs like it.
std::optional<Shape> shape_of_input(InferContext& ctx) {
  const Shape* x = ctx.shape(0);
  return x != nullptr ? std::optional(*x) : std::nullopt;
}

/// The number of samples of X: a vector is one sample, else the first dim counts them.
Dim samples(InferContext& ctx) {
  const Shape* x = ctx.shape(0);
  if (x == nullptr || x->empty()) return {};
  return x->size() == 1 ? ctx.lit(1) : x->front();
}

/// How many entries a list attribute has; 0 if it is left out.
size_t list_size(InferContext& ctx, std::string_view name) {
  const Attribute* attribute = ctx.attribute(name);
  if (attribute == nullptr) return 0;
  return std::max({attribute->ints.size(), attribute->strings.size(), attribute->floats.size()});
}

struct Labels {
  size_t count = 0;
  ElemType elem = ElemType::kInt64;
};

/// The class labels: strings, if there are any, else integers.
Labels read_labels(InferContext& ctx, std::string_view strings, std::string_view integers) {
  if (const size_t count = list_size(ctx, strings)) return {count, ElemType::kString};
  return {list_size(ctx, integers), ElemType::kInt64};
}

/// [samples] labels and [samples, scores] scores.
Outcome set_classes(InferContext& ctx, ElemType label, Dim scores) {
  ctx.require_elem(0, kFeatureTypes, "T1");
  ctx.set_tensor(0, label, Shape{Dim()});
  ctx.set_tensor(1, ElemType::kFloat, Shape{Dim(), scores});
  if (!ctx.require_rank(0, 1, 2, "C1")) return Outcome::kFailed;
  ctx.set_tensor(0, label, Shape{samples(ctx)});
  ctx.set_tensor(1, ElemType::kFloat, Shape{samples(ctx), scores});
  return Outcome::kDone;
}

/// [samples, columns].
Outcome set_table(InferContext& ctx, ElemType elem, Dim columns) {
  ctx.set_tensor(0, elem, Shape{Dim(), columns});
  if (!ctx.require_rank(0, 1, 2, "C1")) return Outcome::kFailed;
  ctx.set_tensor(0, elem, Shape{samples(ctx), columns});
  return Outcome::kDone;
}

// ArrayFeatureExtractor-1. The columns of X [..., n] that Y names: [..., the count of Y]; a vector
// X gives [1, the count of Y].
//   C1  X is no scalar     T1  Y holds 64-bit integers
Outcome array_feature_extractor(InferContext& ctx) {
  constexpr std::array kIndices = {ElemType::kInt64};
  ctx.set_tensor(0, ctx.elem(0));
  ctx.require_elem(1, kIndices, "T1");
  if (!ctx.require_rank(0, 1, SIZE_MAX, "C1")) return Outcome::kFailed;
  auto out = shape_of_input(ctx);
  if (!out) return Outcome::kDone;
  const Shape* indices = ctx.shape(1);
  if (out->size() == 1) out->insert(out->begin(), ctx.lit(1));
  out->back() = indices != nullptr ? element_count(ctx.pool(), *indices) : Dim();
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

// Binarizer-1, Imputer-1. Like X.
//   T1  X holds numbers
Outcome like_input(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0), shape_of_input(ctx));
  ctx.require_elem(0, kFeatureTypes, "T1");
  return Outcome::kDone;
}

// Normalizer-1, Scaler-1. The shape of X, in floats.
//   T1  X holds numbers
Outcome floats_like_input(InferContext& ctx) {
  ctx.set_tensor(0, ElemType::kFloat, shape_of_input(ctx));
  ctx.require_elem(0, kFeatureTypes, "T1");
  return Outcome::kDone;
}

// CastMap-1. The values of a map as [1, n]: n is max_map if map_form is SPARSE.
//   C1  cast_to is TO_FLOAT, TO_STRING or TO_INT64
//   C2  map_form is DENSE or SPARSE, and SPARSE has max_map >= 1
Outcome cast_map(InferContext& ctx) {
  const std::string_view to = ctx.attr_string("cast_to", "TO_FLOAT");
  const std::string_view form = ctx.attr_string("map_form", "DENSE");
  ElemType elem = ElemType::kFloat;
  if (to == "TO_STRING") {
    elem = ElemType::kString;
  } else if (to == "TO_INT64") {
    elem = ElemType::kInt64;
  } else if (to != "TO_FLOAT") {
    return ctx.fail(Code::kAttribute, "C1", fmt::format("cast_to is '{}'", to));
  }
  const int64_t size = ctx.attr_int("max_map", 1);
  if ((form != "DENSE" && form != "SPARSE") || (form == "SPARSE" && size < 1)) {
    return ctx.fail(Code::kAttribute, "C2",
                    fmt::format("map_form is '{}' and max_map {}", form, size));
  }
  ctx.set_tensor(0, elem, Shape{ctx.lit(1), form == "SPARSE" ? ctx.lit(size) : ctx.fresh("count")});
  return Outcome::kDone;
}

// CategoryMapper-1. Like X: integers for strings, strings for integers.
//   T1  X holds strings or 64-bit integers
Outcome category_mapper(InferContext& ctx) {
  ElemType elem = ElemType::kUndefined;
  if (ctx.elem(0) == ElemType::kString) elem = ElemType::kInt64;
  if (ctx.elem(0) == ElemType::kInt64) elem = ElemType::kString;
  ctx.set_tensor(0, elem, shape_of_input(ctx));
  ctx.require_elem(0, kCategoryTypes, "T1");
  return Outcome::kDone;
}

// DictVectorizer-1. The values of a map in the order of a vocabulary: [1, its length].
//   C1  one of string_vocabulary and int64_vocabulary is given
Outcome dict_vectorizer(InferContext& ctx) {
  const Fact& map = ctx.input(0);
  const ElemType elem =
      map.kind == FactKind::kMap && map.element ? map.element->elem : ElemType::kUndefined;
  ctx.set_tensor(0, elem, Shape{ctx.lit(1), Dim()});
  const size_t strings = list_size(ctx, "string_vocabulary");
  const size_t integers = list_size(ctx, "int64_vocabulary");
  if ((strings == 0) == (integers == 0)) {
    return ctx.fail(Code::kAttribute, "C1",
                    "one of string_vocabulary and int64_vocabulary is needed");
  }
  ctx.set_tensor(0, elem,
                 Shape{ctx.lit(1), ctx.lit(static_cast<int64_t>(std::max(strings, integers)))});
  return Outcome::kDone;
}

// FeatureVectorizer-1. The inputs side by side, as floats: [samples, the sum of inputdimensions].
//   C1  X has rank 1 or 2     C2  inputdimensions has one number >= 0 for each input
//   T1  the inputs hold numbers
Outcome feature_vectorizer(InferContext& ctx) {
  ctx.set_tensor(0, ElemType::kFloat, Shape{Dim(), Dim()});
  for (size_t i = 0; i < ctx.input_count(); ++i) ctx.require_elem(i, kFeatureTypes, "T1");
  const auto sizes = ctx.attr_ints("inputdimensions");
  if (!sizes || sizes->size() != ctx.input_count() ||
      std::any_of(sizes->begin(), sizes->end(), [](int64_t size) { return size < 0; })) {
    return ctx.fail(Code::kAttribute, "C2", "inputdimensions needs one size for each input");
  }
  Dim total = ctx.lit(0);
  for (const int64_t size : *sizes) total = total + size;
  return set_table(ctx, ElemType::kFloat, total);
}

/// The type of LabelEncoder's output: that of the list or tensor of values.
ElemType encoded_type(InferContext& ctx) {
  if (list_size(ctx, "values_strings") != 0) return ElemType::kString;
  if (list_size(ctx, "values_int64s") != 0) return ElemType::kInt64;
  if (list_size(ctx, "values_floats") != 0) return ElemType::kFloat;
  const Attribute* values = ctx.attribute("values_tensor");
  if (values != nullptr && values->tensor != kNoId) return ctx.tensor(values->tensor).elem;
  return ElemType::kUndefined;
}

// LabelEncoder-2. Like X, with the type of the values.
//   C1  there are values
Outcome label_encoder(InferContext& ctx) {
  const ElemType elem = encoded_type(ctx);
  ctx.set_tensor(0, elem, shape_of_input(ctx));
  if (elem == ElemType::kUndefined) {
    return ctx.fail(Code::kAttribute, "C1",
                    "one of values_strings, values_int64s, values_floats and values_tensor is "
                    "needed");
  }
  return Outcome::kDone;
}

// LinearClassifier-1. Labels [N] and scores [N, E], where E is the number of classes.
//   C1  X has rank 1 or 2     T1  X holds numbers
Outcome linear_classifier(InferContext& ctx) {
  const Labels labels = read_labels(ctx, "classlabels_strings", "classlabels_ints");
  const size_t classes = list_size(ctx, "intercepts");
  // One intercept with two labels is a binary classifier: the second score is 1 - the first.
  const bool fits = labels.count == classes || (labels.count == 2 && classes == 1);
  return set_classes(ctx, labels.elem, fits ? ctx.lit(static_cast<int64_t>(labels.count)) : Dim());
}

// LinearRegressor-1. [N, targets].
//   C1  X has rank 1 or 2     C2  targets >= 1     T1  X holds numbers
Outcome linear_regressor(InferContext& ctx) {
  ctx.require_elem(0, kFeatureTypes, "T1");
  const int64_t targets = ctx.attr_int("targets", 1);
  if (targets < 1) return ctx.fail(Code::kAttribute, "C2", "targets must be at least 1");
  return set_table(ctx, ElemType::kFloat, ctx.lit(targets));
}

// OneHotEncoder-1. X's shape with the number of categories appended.
//   C1  there are categories
Outcome one_hot_encoder(InferContext& ctx) {
  ctx.set_tensor(0, ElemType::kFloat);
  const size_t categories = std::max(list_size(ctx, "cats_strings"), list_size(ctx, "cats_int64s"));
  if (categories == 0) {
    return ctx.fail(Code::kAttribute, "C1", "one of cats_strings and cats_int64s is needed");
  }
  auto out = shape_of_input(ctx);
  if (out) out->push_back(ctx.lit(static_cast<int64_t>(categories)));
  ctx.set_tensor(0, ElemType::kFloat, std::move(out));
  return Outcome::kDone;
}

// SVMClassifier-1. Labels [N] and scores [N, E]: the number of classes with probabilities or two
// classes, else it depends on the kind of machine.
//   C1  X has rank 1 or 2     T1  X holds numbers
Outcome svm_classifier(InferContext& ctx) {
  const Labels labels = read_labels(ctx, "classlabels_strings", "classlabels_ints");
  const bool probabilities = list_size(ctx, "prob_a") != 0;
  const bool sure = labels.count == 2 || (probabilities && labels.count > 2);
  return set_classes(ctx, labels.elem, sure ? ctx.lit(static_cast<int64_t>(labels.count)) : Dim());
}

// SVMRegressor-1. [N, 1].
//   C1  X has rank 1 or 2     T1  X holds numbers
Outcome svm_regressor(InferContext& ctx) {
  ctx.require_elem(0, kFeatureTypes, "T1");
  return set_table(ctx, ElemType::kFloat, ctx.lit(1));
}

// TreeEnsembleClassifier-1. Labels [N] and scores [N, the number of classes].
//   C1  X has rank 1 or 2     T1  X holds numbers
Outcome tree_ensemble_classifier(InferContext& ctx) {
  const Labels labels = read_labels(ctx, "classlabels_strings", "classlabels_int64s");
  return set_classes(ctx, labels.elem,
                     labels.count >= 2 ? ctx.lit(static_cast<int64_t>(labels.count)) : Dim());
}

/// [N, n_targets] of the given type.
Outcome tree_ensemble(InferContext& ctx, ElemType elem, int64_t otherwise) {
  ctx.require_elem(0, kFeatureTypes, "T1");
  const int64_t targets = ctx.attr_int("n_targets", otherwise);
  if (targets < 1) return ctx.fail(Code::kAttribute, "C2", "n_targets must be at least 1");
  return set_table(ctx, elem, ctx.lit(targets));
}

// TreeEnsembleRegressor-1. [N, n_targets] floats.
//   C1  X has rank 1 or 2     C2  n_targets >= 1     T1  X holds numbers
Outcome tree_ensemble_regressor(InferContext& ctx) {
  return tree_ensemble(ctx, ElemType::kFloat, 0);
}

// TreeEnsemble-5. [N, n_targets] of the type of X; one target by default.
Outcome tree_ensemble_of_input(InferContext& ctx) { return tree_ensemble(ctx, ctx.elem(0), 1); }

// ZipMap-1. A sequence with a map from label to score for each row of X [N, C].
//   C1  X has rank 1 or 2     C2  C is the number of labels
Outcome zip_map(InferContext& ctx) {
  const Labels labels = read_labels(ctx, "classlabels_strings", "classlabels_int64s");
  Fact map;
  map.kind = FactKind::kMap;
  map.elem = labels.elem;
  map.element = std::make_shared<const Fact>(Fact::tensor(ElemType::kFloat, Shape()));
  ctx.set(0, Fact::sequence(map));
  if (!ctx.require_rank(0, 1, 2, "C1")) return Outcome::kFailed;
  if (const Shape* x = ctx.shape(0)) {
    ctx.require_equal(x->back(), ctx.lit(static_cast<int64_t>(labels.count)), "C2",
                      "the columns of X and the labels");
  }
  ctx.set(0, Fact::sequence(std::move(map), samples(ctx)));
  return Outcome::kDone;
}

constexpr auto kRules =
    std::to_array<OpRule>({{"ArrayFeatureExtractor", 1, array_feature_extractor},
                           {"Binarizer", 1, like_input},
                           {"CastMap", 1, cast_map},
                           {"CategoryMapper", 1, category_mapper},
                           {"DictVectorizer", 1, dict_vectorizer},
                           {"FeatureVectorizer", 1, feature_vectorizer},
                           {"Imputer", 1, like_input},
                           {"LabelEncoder", 1, category_mapper},
                           {"LabelEncoder", 2, label_encoder},
                           {"LinearClassifier", 1, linear_classifier},
                           {"LinearRegressor", 1, linear_regressor},
                           {"Normalizer", 1, floats_like_input},
                           {"OneHotEncoder", 1, one_hot_encoder},
                           {"SVMClassifier", 1, svm_classifier},
                           {"SVMRegressor", 1, svm_regressor},
                           {"Scaler", 1, floats_like_input},
                           {"TreeEnsemble", 5, tree_ensemble_of_input},
                           {"TreeEnsembleClassifier", 1, tree_ensemble_classifier},
                           {"TreeEnsembleRegressor", 1, tree_ensemble_regressor},
                           {"ZipMap", 1, zip_map}});

}  // namespace

std::span<const Family> classical_family() {
  static constexpr std::array kFamilies = {Family{"ai.onnx.ml", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
