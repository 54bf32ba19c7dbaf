// Facts as onnx types and back. Dims that are not numbers travel as dim_params that name their
// place in a table.
#pragma once

#include <onnx/onnx_pb.h>

#include <vector>

#include "infer/context.h"

namespace onnx_shapes {

class TypeTranslator {
 public:
  explicit TypeTranslator(Pool& pool) : pool_(pool) {}

  [[nodiscard]] onnx::TypeProto type(const Fact& fact);
  [[nodiscard]] Fact fact(const onnx::TypeProto& type) const;

  /// The contents if all are numbers, as typed data; false if they cannot be given.
  [[nodiscard]] bool data(const Fact& fact, onnx::TensorProto& tensor) const;
  /// The contents of an integer tensor of rank 0 or 1 as a shape; false if they cannot be given.
  [[nodiscard]] bool symbolic(const Fact& fact, onnx::TensorShapeProto& shape);
  [[nodiscard]] Shape dims(const onnx::TensorShapeProto& shape, bool sizes) const;

 private:
  void write(Dim dim, onnx::TensorShapeProto::Dimension& out);
  template <class TensorType>
  void write_tensor(const Fact& fact, TensorType& out);
  template <class TensorType>
  [[nodiscard]] Fact read_tensor(FactKind kind, const TensorType& type) const;

  Pool& pool_;
  std::vector<Dim> dims_;
};

/// The attribute as a message. A graph is only named; a tensor has its elements if they are known.
[[nodiscard]] onnx::AttributeProto attribute_proto(const InferContext& ctx,
                                                   const TypeTranslator& types,
                                                   const Attribute& attribute,
                                                   std::string_view name);

}  // namespace onnx_shapes
