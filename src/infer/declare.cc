// Gives the author's dim texts a meaning: a number, a symbol or an expression.
#include "infer/declare.h"

#include <algorithm>
#include <span>
#include <vector>

#include "expr/text.h"
#include "infer/made_up.h"

namespace onnx_shapes {
namespace {

void for_each_text(const DeclaredType& type, const auto& visit) {
  for (size_t axis = 0; axis < type.dims.size(); ++axis) {
    const DeclaredDim& dim = type.dims[axis];
    if (dim.kind == DeclaredDim::Kind::kText) visit(dim.text, static_cast<int32_t>(axis));
  }
  if (type.element) for_each_text(*type.element, visit);
}

/// Of symbols alone, and nothing is subtracted.
bool is_sum_of_products(Dim dim) {
  const std::span<const Term> terms = dim.expr()->terms;
  return std::all_of(terms.begin(), terms.end(), [](const Term& term) {
    const std::span<const Factor> factors = term.monomial->factors;
    return term.coefficient > 0 &&
           std::all_of(factors.begin(), factors.end(),
                       [](const Factor& factor) { return factor.atom->kind == AtomKind::kSymbol; });
  });
}

bool on_main_input(const Model& model, const Annotation& annotation) {
  return annotation.role == Annotation::Role::kInput && annotation.scope == model.main_graph();
}

}  // namespace

bool declares(const Model& model, std::string_view name) {
  bool found = false;
  for (const Annotation& annotation : model.annotations()) {
    for_each_text(annotation.type,
                  [&](std::string_view text, int32_t) { found = found || text == name; });
  }
  return found;
}

Declarations::Declarations(const Model& model, SymbolTable& symbols, const DeclareOptions& options)
    : symbols_(symbols) {
  const auto for_each = [&](bool inputs, const auto& visit) {
    for (uint32_t i = 0; i < model.annotations().size(); ++i) {
      const Annotation& annotation = model.annotations()[i];
      if (on_main_input(model, annotation) != inputs) continue;
      for_each_text(annotation.type, [&](std::string_view text, int32_t axis) {
        visit(text, Origin{.kind = Origin::Kind::kAnchor, .value = annotation.value, .axis = axis});
      });
    }
  };
  for_each(true, [&](std::string_view text, const Origin&) {
    symbols_.reserve(text);
    names_.insert(text);
  });
  MadeUpNames made_up(model);
  for_each(false, [&](std::string_view text, const Origin&) {
    symbols_.reserve(text);
    if (!names_.insert(text).second || !made_up.contains(text)) return;
    made_up_.insert(text);
    if (made_up.is_exported(text)) exported_.insert(text);
  });
  const Interval range = Interval::at_least(options.assume_nonempty ? 1 : 0);
  const auto final_name = [&](std::string_view text) -> std::string_view {
    const auto renamed = options.renames.find(text);
    return renamed == options.renames.end() ? text : std::string_view(renamed->second);
  };
  for (const auto& [old_name, new_name] : options.renames) symbols_.reserve(new_name);
  struct Pass {
    bool inputs, made_up;
  };
  for (const Pass pass : {Pass{true, true}, Pass{false, false}, Pass{false, true}}) {
    const SymbolKind kind = pass.inputs ? SymbolKind::kInput : SymbolKind::kDeclared;
    for_each(pass.inputs, [&](std::string_view text, const Origin& origin) {
      if (dims_.contains(text) || (!pass.made_up && is_made_up(text))) return;
      if (const auto number = options.numbers.find(text); number != options.numbers.end()) {
        dims_.emplace(text, symbols_.pool().constant(number->second));
      } else if (is_identifier(text) || options.opaque) {
        dims_.emplace(text, symbols_.author(final_name(text), kind, range, origin));
      }
    });
  }
  // Compounds come last: their names are known by now.
  for (const bool inputs : {true, false}) {
    const SymbolKind kind = inputs ? SymbolKind::kInput : SymbolKind::kDeclared;
    for_each(inputs, [&](std::string_view text, const Origin& origin) {
      if (dims_.contains(text)) return;
      Dim dim = read(text);
      if (!dim.known() && inputs && options.inputs_declare_compounds && !options.opaque) {
        dim = read_promise(text, range, origin);
      }
      if (!dim.known()) dim = symbols_.author(final_name(text), kind, range, origin);
      dims_.emplace(text, dim);
    });
  }
}

Dim Declarations::read(std::string_view text) const {
  const auto resolve = [&](std::string_view name) -> Dim {
    if (!names_.contains(name)) return {};
    const auto found = dims_.find(name);
    return found == dims_.end() ? Dim() : found->second;
  };
  const Result<Dim, ParseError> parsed = parse_dim(symbols_.pool(), text, resolve);
  // A text without a name, "1" or "-1", is a name all the same: a number would be a dim_value.
  return parsed && !parsed->number() ? *parsed : Dim();
}

/// A compound over names that stand alone nowhere; unknown if it is not sure to be a size whatever
/// the sizes of its names are (`seq-len`): that is a name, then.
Dim Declarations::read_promise(std::string_view text, Interval range, Origin origin) {
  const std::optional<std::vector<std::string>> names = names_in(text);
  if (!names || names->empty()) return {};
  {
    Pool pool;
    const auto any = [&](std::string_view name) {
      return pool.symbol(pool.add_symbol(std::string(name)));
    };
    const Result<Dim, ParseError> parsed = parse_dim(pool, text, any);
    if (!parsed || as_symbol(*parsed) || !is_sum_of_products(*parsed)) return {};
  }
  for (const std::string& name : *names) {
    if (dims_.contains(name)) continue;
    const std::string& kept = promised_.emplace_back(name);
    names_.insert(kept);
    dims_.emplace(kept, symbols_.author(kept, SymbolKind::kInput, range, origin));
  }
  return read(text);
}

Dim Declarations::text(std::string_view text) const {
  const auto found = dims_.find(text);
  return found == dims_.end() ? Dim() : found->second;
}

Dim Declarations::dim(const DeclaredDim& declared) const {
  switch (declared.kind) {
    case DeclaredDim::Kind::kUnnamed:
      return {};
    case DeclaredDim::Kind::kNumber:
      return symbols_.pool().constant(declared.number);
    case DeclaredDim::Kind::kText:
      return text(declared.text);
  }
  return {};
}

Fact Declarations::fact(const DeclaredType& type) const {
  Fact fact;
  switch (type.kind) {
    case DeclaredType::Kind::kNone:
    case DeclaredType::Kind::kOpaque:
      return fact;
    case DeclaredType::Kind::kTensor:
      fact.kind = FactKind::kTensor;
      break;
    case DeclaredType::Kind::kSparseTensor:
      fact.kind = FactKind::kSparseTensor;
      break;
    case DeclaredType::Kind::kSequence:
      fact.kind = FactKind::kSequence;
      break;
    case DeclaredType::Kind::kOptional:
      fact.kind = FactKind::kOptional;
      break;
    case DeclaredType::Kind::kMap:
      fact.kind = FactKind::kMap;
      break;
  }
  fact.elem = type.elem;
  if (type.has_shape) {
    fact.shape.emplace();
    for (const DeclaredDim& declared : type.dims) fact.shape->push_back(dim(declared));
  }
  if (type.element) fact.element = std::make_shared<const Fact>(this->fact(*type.element));
  return fact;
}

}  // namespace onnx_shapes
