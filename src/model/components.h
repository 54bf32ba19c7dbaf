// Strongly connected components of a dependency graph, in linear time and without recursion.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace onnx_shapes {

struct Dependency {
  uint32_t from = 0;  // depends on
  uint32_t on = 0;
};

/// Calls `visit` for each component, dependencies first; among independent ones the smaller number
/// comes first, so a graph that is in order already keeps its order. `cyclic` is true for a
/// component of several members and for a member that depends on itself. All numbers are < count.
void visit_components(uint32_t count, const std::vector<Dependency>& dependencies,
                      const std::function<void(std::span<const uint32_t>, bool cyclic)>& visit);

}  // namespace onnx_shapes
