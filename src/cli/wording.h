// What the reports call types, values and the origins of facts. All texts are fit for a terminal.
#pragma once

#include <string>
#include <vector>

#include "anchors/bounds.h"
#include "anchors/names.h"
#include "infer/infer.h"

namespace onnx_shapes {

/// `float[batch, 4]`, `sequence(float[N])`, `float?` of unknown rank; dims in the author's words.
[[nodiscard]] std::string type_text(const Fact& fact, Namer& namer);

/// The name of a value; outside of the main graph with the path of its scope before it.
[[nodiscard]] std::string value_text(const Model& model, ValueId value);

/// `Concat 'cat'`
[[nodiscard]] std::string node_text(const Model& model, NodeId node);

/// Who says so: `MatMul 'q' needs it (matmul-inner)`, `output 'y' axis 0 is declared so`.
[[nodiscard]] std::string origin_text(const Model& model, const Origin& origin);

/// Why a dim has no name: `it may differ from one iteration of graph/Loop_0.body to the next`. The
/// scope may be kNoId.
[[nodiscard]] std::string nameless_text(const Model& model, ScopeId varies_in);

/// `the contents of 'd' decide it, which are computed from those of 'x'`
[[nodiscard]] std::string data_text(const Model& model, const std::vector<ValueId>& data,
                                    const std::vector<ValueId>& inputs);

/// `at least 1; at most N*M and 8`; empty if there are none.
[[nodiscard]] std::string bounds_text(const DimBounds& bounds);

/// As it is written, fit for a terminal; `?` for an unknown dim.
[[nodiscard]] std::string dim_text(Dim dim);

/// `'x'`, `'x' and 'y'`, `'x', 'y' and 3 more`
[[nodiscard]] std::string list_text(const std::vector<std::string>& items, size_t most);

/// The values quoted, as in list_text.
[[nodiscard]] std::string values_text(const Model& model, const std::vector<ValueId>& values);

}  // namespace onnx_shapes
