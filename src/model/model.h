// A model as the stages after loading see it: scopes, nodes, values, attributes and tensors by id,
// without a word of protobuf. Built once; only schema functions are added later.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/finding.h"
#include "wire/file.h"
#include "wire/walk.h"

namespace onnx {
class FunctionProto;
class ModelProto;
class NodeProto;
}  // namespace onnx

namespace onnx_shapes {

using ValueId = uint32_t;
using NodeId = uint32_t;
using ScopeId = uint32_t;
using TensorId = uint32_t;
constexpr uint32_t kNoId = UINT32_MAX;

/// Element types, with the numbers of TensorProto.DataType.
enum class ElemType : uint8_t {
  kUndefined = 0,
  kFloat = 1,
  kUint8 = 2,
  kInt8 = 3,
  kUint16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
  kUint32 = 12,
  kUint64 = 13,
  kComplex64 = 14,
  kComplex128 = 15,
  kBfloat16 = 16,
  kFloat8E4M3FN = 17,
  kFloat8E4M3FNUZ = 18,
  kFloat8E5M2 = 19,
  kFloat8E5M2FNUZ = 20,
  kUint4 = 21,
  kInt4 = 22,
  kFloat4E2M1 = 23,
  kFloat8E8M0 = 24,
  kUint2 = 25,
  kInt2 = 26,
  kFloat6E2M3 = 27,
  kFloat6E3M2 = 28,
};
/// "float", "int64": the names of the ONNX text format.
[[nodiscard]] std::string_view elem_type_name(ElemType type);
/// The type of that number, kUndefined if there is none.
[[nodiscard]] ElemType elem_type(int64_t data_type);
[[nodiscard]] bool is_integer(ElemType type);  // signed and unsigned, without bool
/// Bits of one element in raw_data; 0 for strings and kUndefined.
[[nodiscard]] uint32_t element_bits(ElemType type);

/// One dim as the author wrote it. A dim_value below 0 is not a size: it is kUnnamed here, with the
/// number, and the loader has made a finding (SHP012).
struct DeclaredDim {
  enum class Kind : uint8_t { kUnnamed, kNumber, kText } kind = Kind::kUnnamed;
  int64_t number = 0;
  std::string_view text;  // dim_param; never empty for kText
};

struct DeclaredType {
  enum class Kind : uint8_t { kNone, kTensor, kSparseTensor, kSequence, kOptional, kMap, kOpaque };
  Kind kind = Kind::kNone;
  ElemType elem = ElemType::kUndefined;  // tensors; the key type of a map
  bool has_shape = false;
  std::vector<DeclaredDim> dims;
  std::shared_ptr<const DeclaredType> element;  // of a sequence or optional; the value of a map
};

/// Under this key the metadata of a ValueInfoProto has what bounds its dims (docs/report.md).
constexpr std::string_view kBoundsKey = "onnx_shapes.bounds";

/// An annotation in the file: which field of which container.
struct Annotation {
  enum class Role : uint8_t { kInput, kOutput, kValueInfo } role = Role::kValueInfo;
  ScopeId scope = kNoId;
  uint32_t index = 0;     // position among the fields of that role in the file
  ValueId value = kNoId;  // kNoId: no such value in the scope (a stale value_info)
  std::string_view name;
  DeclaredType type;
  std::optional<std::string_view> bounds;  // its metadata under kBoundsKey
};

/// Two values of one scope have the same name only where the file is at fault (SHP005); the first
/// one is what the name stands for.
struct Value {
  std::string_view name;
  ScopeId scope = kNoId;
  /// kNoId: a scope input, an initializer, or a name that is used but that nothing produces (which
  /// the loader has reported): then there is no initializer and scope_input is false.
  NodeId producer = kNoId;
  uint32_t output_index = 0;  // which output of the producer
  TensorId initializer = kNoId;
  bool scope_input = false;
  bool scope_output = false;
  /// False if no annotation can speak of it: it has no name, nothing defines it, or another value
  /// of the scope has its name.
  bool owns_name = true;
  // Indices into annotations(), kNoId where the author wrote none.
  uint32_t input_annotation = kNoId;
  uint32_t output_annotation = kNoId;
  uint32_t value_info = kNoId;
};

enum class AttributeKind : uint8_t {
  kUndefined,
  kFloat,
  kInt,
  kString,
  kTensor,
  kGraph,
  kSparseTensor,
  kType,
  kFloats,
  kInts,
  kStrings,
  kTensors,
  kGraphs,
  kSparseTensors,
  kTypes,
};

struct Attribute {
  std::string_view name;
  AttributeKind kind = AttributeKind::kUndefined;
  std::string_view reference;  // ref_attr_name inside a function; else empty
  int64_t int_value = 0;
  float float_value = 0;
  std::string_view string_value;
  std::span<const int64_t> ints;
  std::span<const float> floats;
  std::vector<std::string_view> strings;
  TensorId tensor = kNoId;           // kTensor; the values of a kSparseTensor
  TensorId indices = kNoId;          // the indices of a kSparseTensor
  std::vector<int64_t> sparse_dims;  // the dense shape of a kSparseTensor
  std::vector<TensorId> tensors;
  std::vector<ScopeId> graphs;  // kGraph (one) and kGraphs
  std::shared_ptr<const DeclaredType> type;
};

struct Node {
  std::string_view op_type;
  std::string_view domain;  // "" for ai.onnx (which is read as "")
  std::string_view overload;
  std::string_view name;
  ScopeId scope = kNoId;
  uint32_t index = 0;  // position in the file's node list
  // kNoId: left out. Both are of the model's memory.
  std::span<const ValueId> inputs;
  std::span<const ValueId> outputs;
  std::vector<Attribute> attributes;  // without those that the loader refuses

  [[nodiscard]] const Attribute* attribute(std::string_view attribute_name) const;
};

struct Tensor {
  std::string_view name;
  ElemType elem = ElemType::kUndefined;
  std::vector<int64_t> dims;  // each >= 0; the loader refuses others
  bool external = false;
  /// Product of dims; nothing if it does not fit 64 bits.
  [[nodiscard]] std::optional<int64_t> element_count() const;
};

struct OpsetImport {
  std::string_view domain;
  int64_t version = 0;
};

struct Scope {
  enum class Kind : uint8_t { kMainGraph, kSubgraph, kFunction } kind = Kind::kMainGraph;
  ScopeId parent = kNoId;       // the scope whose names are visible; kNoId for main and functions
  NodeId owner = kNoId;         // the node whose attribute a subgraph is
  std::string_view attribute;   // that attribute's name
  std::string path;             // `graph`, `graph/If_0.then_branch`, `function ai.x:F`
  uint32_t container = kNoId;   // index into WireIndex::containers; kNoId for schema functions
  std::vector<NodeId> nodes;    // in topological order; nodes on a cycle are left out
  std::vector<ValueId> inputs;  // formal inputs; includes inputs that have an initializer
  /// kNoId: declared but not produced (reported). A subgraph's may be a value of a scope around it
  /// (reported too: ONNX Runtime refuses that).
  std::vector<ValueId> outputs;
  std::vector<ValueId> initializers;  // without those whose tensor the loader refuses
  /// Indices into annotations(): inputs, outputs, value_info, each in file order.
  std::vector<uint32_t> annotations;
  /// Own imports of main graph and functions, by domain; subgraphs inherit.
  std::vector<OpsetImport> opsets;
  // Functions only.
  std::string_view domain, name, overload;
  std::vector<std::string_view> attribute_names;  // without default
  std::vector<Attribute> attribute_defaults;
};

struct LoadOptions {
  uint32_t max_nesting = 100;  // graphs inside graphs
  uint64_t max_nodes = 10'000'000;
  uint32_t max_rank = 256;
};

struct ModelData;

class Model {
 public:
  /// Loads the bytes. Faults of the model that leave it usable become findings; an unusable file is
  /// the failure.
  static Expected<Model> load(MappedFile file, const LoadOptions& options, Findings& findings);
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  ~Model();

  [[nodiscard]] const MappedFile& file() const;
  [[nodiscard]] const WireIndex& wire() const;  // without the skeleton, which is parsed
  [[nodiscard]] int64_t ir_version() const;

  [[nodiscard]] ScopeId main_graph() const { return 0; }
  [[nodiscard]] const Scope& scope(ScopeId id) const;
  [[nodiscard]] const Node& node(NodeId id) const;
  [[nodiscard]] const Value& value(ValueId id) const;
  [[nodiscard]] const Tensor& tensor(TensorId id) const;
  [[nodiscard]] size_t scope_count() const;
  [[nodiscard]] size_t node_count() const;
  [[nodiscard]] size_t value_count() const;
  [[nodiscard]] const std::vector<Annotation>& annotations() const;

  /// The opset of a domain as seen from a scope; nothing if it is not imported.
  [[nodiscard]] std::optional<int64_t> opset(ScopeId scope, std::string_view domain) const;
  /// The model-local function that a node calls, or kNoId. Calls that lead back to themselves are
  /// reported at load (SHP502); `recursive(scope)` says so.
  [[nodiscard]] ScopeId function(std::string_view domain, std::string_view name,
                                 std::string_view overload) const;
  [[nodiscard]] bool recursive(ScopeId function) const;

  /// The elements of an integer or bool tensor (4-bit and 2-bit ones unpacked; uint64 above
  /// INT64_MAX gives nothing), whatever the payload's form: raw, typed, left out of the skeleton or
  /// external. Nothing if there are more than `max_count`, the type is another, the data does not
  /// match the dims, or the external file cannot be read; the reason of the latter two is a
  /// finding.
  [[nodiscard]] std::optional<std::vector<int64_t>> int_elements(TensorId id, size_t max_count,
                                                                 Findings& findings) const;
  /// The same for float, double, float16 and bfloat16 tensors.
  [[nodiscard]] std::optional<std::vector<double>> float_elements(TensorId id, size_t max_count,
                                                                  Findings& findings) const;
  /// The same for string tensors.
  [[nodiscard]] std::optional<std::vector<std::string>> string_elements(TensorId id,
                                                                        size_t max_count,
                                                                        Findings& findings) const;

  // Places for findings.
  [[nodiscard]] Place place(ScopeId scope) const;
  [[nodiscard]] Place place_of_node(NodeId id) const;  // with the node as ONNX text
  [[nodiscard]] Place place_of_value(ValueId id, std::optional<int64_t> axis = {}) const;
  /// `Add_3` for a node without a name, else its name.
  [[nodiscard]] std::string node_label(NodeId id) const;

  /// Indexes a schema's function body as a scope of its own. The proto is copied.
  [[nodiscard]] ScopeId add_function(const onnx::FunctionProto& function, Findings& findings);
  /// The parsed skeleton, which has no plain nodes, and any node, for the schema fallback alone. A
  /// payload that the skeleton leaves out is missing in the node's tensors.
  [[nodiscard]] const onnx::ModelProto& proto() const;
  [[nodiscard]] const onnx::NodeProto& node_proto(NodeId id) const;
  /// For the other files of model/.
  [[nodiscard]] const ModelData& data() const;

 private:
  struct State;
  explicit Model(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace onnx_shapes
