// Names for texts in tests: each name that is asked for becomes a symbol.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "expr/expr.h"
#include "expr/text.h"
#include "support/interval.h"

namespace onnx_shapes {

class TextNames {
 public:
  explicit TextNames(Pool& pool, Interval range = Interval::at_least(0))
      : pool_(pool), range_(range) {}

  Dim operator()(std::string_view name) {
    const auto known = dims_.find(name);
    if (known != dims_.end()) return known->second;
    const Dim dim = pool_.symbol(pool_.add_symbol(std::string(name), range_));
    dims_.emplace(name, dim);
    return dim;
  }

  /// Any name is good.
  Result<Dim, ParseError> read(std::string_view text) {
    return parse_dim(pool_, text, [this](std::string_view name) { return (*this)(name); });
  }

  /// Only the names that were asked for before.
  Result<Dim, ParseError> read_declared(std::string_view text) {
    return parse_dim(pool_, text, [this](std::string_view name) {
      const auto known = dims_.find(name);
      return known == dims_.end() ? Dim() : known->second;
    });
  }

 private:
  Pool& pool_;
  Interval range_;
  std::map<std::string, Dim, std::less<>> dims_;
};

}  // namespace onnx_shapes
