// Where the data of a tensor is, and whether there is as much of it as its dims ask for.
#pragma once

#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "model/state.h"

namespace onnx_shapes {

/// The field of TensorProto, other than raw_data, that holds elements of a type; the numbers are
/// those of the fields. kNone: there is none for the type.
enum class DataField : uint8_t {
  kNone = 0,
  kFloat = 4,
  kInt32 = 5,
  kString = 6,
  kInt64 = 7,
  kRaw = 9,
  kDouble = 10,
  kUint64 = 11,
};
[[nodiscard]] DataField typed_field(ElemType elem);

/// Bytes that `count` elements take in raw_data; nothing for strings and if it does not fit 64
/// bits.
[[nodiscard]] std::optional<uint64_t> raw_size(ElemType elem, int64_t count);
/// Entries of the typed field that `count` elements take.
[[nodiscard]] uint64_t typed_size(ElemType elem, int64_t count);

/// Where the data is.
struct DataLocation {
  enum class Form : uint8_t {
    kRaw,      // `bytes`
    kTyped,    // the typed field of the message
    kPacked,   // `bytes`: the packed form of the typed field, left out of the skeleton
    kUnclear,  // in pieces whose order the skeleton does not tell
  } form = Form::kTyped;
  std::span<const uint8_t> bytes;
};
/// Of a dense tensor that is not external.
[[nodiscard]] DataLocation locate_data(const ModelData& data, const onnx::TensorProto& tensor);
[[nodiscard]] DataLocation locate_data(const ModelData& data, const TensorSource& source);

/// Why the data cannot be what the dims and the type say: too much or too little of it (SHP011), a
/// type that does not exist (SHP013), external data outside the folder or past the end of its file
/// (SHP601 to SHP603). Weights are not read for it, and external files are not opened.
[[nodiscard]] std::optional<Finding> tensor_fault(const ModelData& data, TensorId id);

/// Why values and indices are not those of a sparse tensor of these dims (SHP011); their contents
/// are not looked at.
[[nodiscard]] std::optional<Finding> sparse_fault(const ModelData& data,
                                                  std::span<const int64_t> dims, TensorId values,
                                                  TensorId indices);

/// The finding of an external fault. One about a missing file is about the file, not the tensor.
[[nodiscard]] Finding external_finding(const ModelData& data, const TensorSource& source,
                                       const ExternalFault& fault);

/// The bytes that external data has in its file.
struct ExternalRange {
  std::string location;
  uint64_t offset = 0;
  uint64_t length = 0;
};
[[nodiscard]] ExternalResult<ExternalRange> external_range(const onnx::TensorProto& tensor,
                                                           uint64_t needed);

}  // namespace onnx_shapes
