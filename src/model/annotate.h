// Turns decided annotations into edits of the file's bytes.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/model.h"
#include "wire/splice.h"

namespace onnx_shapes {

/// "input", "output", "value_info": as places name them.
[[nodiscard]] std::string_view role_name(Annotation::Role role);

/// One dim to write: unnamed, a number, or a text.
using WrittenDim = std::variant<std::monostate, int64_t, std::string>;

/// A type to write.
struct WrittenType {
  DeclaredType::Kind kind = DeclaredType::Kind::kNone;
  ElemType elem = ElemType::kUndefined;
  bool has_shape = false;
  std::vector<WrittenDim> dims;
  std::shared_ptr<const WrittenType> element;
};

/// What the author wrote; a size below 0 is unnamed.
[[nodiscard]] WrittenDim written_dim(const DeclaredDim& dim);
[[nodiscard]] WrittenType written_type(const DeclaredType& declared);

/// The dim as it is written, `?` for an unnamed one.
[[nodiscard]] std::string dim_text(const WrittenDim& dim);

/// Sets the type of a value's annotations of a role. They keep every other field of their
/// ValueInfoProto (doc string, metadata, unknown fields), byte for byte, and the denotations of
/// their dims where the rank stays. A missing value_info is appended to the scope's; an input or
/// output is never added. What already says the same is not touched.
struct TypeChange {
  ValueId value = kNoId;
  Annotation::Role role = Annotation::Role::kValueInfo;
  WrittenType type;
  bool mends = false;  // is written even where it says the same: a size below 0 means no size
};

/// Sets the metadata of a value's annotations of a role under kBoundsKey. Other metadata stays.
struct BoundsChange {
  ValueId value = kNoId;
  Annotation::Role role = Annotation::Role::kValueInfo;
  std::string text;  // empty: there is none
};

struct AnnotationChanges {
  std::vector<TypeChange> set;
  std::vector<BoundsChange> bounds = {};  // of annotations that there are, or that `set` adds
  std::vector<uint32_t> remove;           // indices into Model::annotations(); value_info only
};

/// The edits, in file order. Of two changes of one value and role the last counts, and a change
/// counts more than a removal. Values of schema functions are ignored, and so are values that do
/// not own their name, except as inputs.
[[nodiscard]] std::vector<Edit> annotation_edits(const Model& model,
                                                 const AnnotationChanges& changes);

}  // namespace onnx_shapes
