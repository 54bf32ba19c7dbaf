#include "anchors/decide.h"

#include <algorithm>
#include <unordered_set>

#include "anchors/names.h"
#include "anchors/written_bounds.h"
#include "expr/text.h"
#include "model/write_type.h"

namespace onnx_shapes {
namespace {

/// FunctionProto.value_info came with this IR version.
constexpr int64_t kFunctionValueInfo = 10;

/// What may be replaced of a declared type.
struct Replacing {
  bool is_public = false;  // it stands on an output of the main graph
  bool full = false;       // names too, by what is known over the author's input names
};

class Decider {
 public:
  Decider(const Model& model, const Inference& inference, const DecideOptions& options)
      : model_(model), inference_(inference), options_(options), namer_(inference) {}

  Decision run() {
    if (options_.drop_stale) {
      dropped_.insert(options_.contradicted.begin(), options_.contradicted.end());
    }
    for (const Inference::NamedInput& input : inference_.named_inputs) {
      if (const std::optional<SymbolId> symbol = as_symbol(input.symbol))
        made_for_input_.insert(*symbol);
    }
    decision_.changes.set.reserve(model_.value_count());
    for (ValueId id = 0; id < model_.value_count(); ++id) decide(id);
    remove_the_rest();
    name_inputs();
    if (options_.bounds) {
      write_bounds(model_, inference_, decision_.changes);
    } else if (options_.fresh) {
      remove_bounds(model_, decision_.changes);
    }
    decision_.public_changes = public_changes(model_, decision_.changes);
    decision_.tally.changes = decision_.changes.set.size() + decision_.changes.remove.size();
    return std::move(decision_);
  }

 private:
  [[nodiscard]] bool writable(const Scope& scope) const {
    if (scope.container == kNoId) return false;
    const Scope* outermost = &scope;
    while (outermost->parent != kNoId) outermost = &model_.scope(outermost->parent);
    return outermost->kind != Scope::Kind::kFunction || model_.ir_version() >= kFunctionValueInfo;
  }

  /// The names of --dim are numbers, and those of --rename others, wherever they stand.
  [[nodiscard]] bool replaced(std::string_view text) const {
    if (options_.declare == nullptr) return false;
    const auto& numbers = options_.declare->numbers;
    const auto& renames = options_.declare->renames;
    if (numbers.empty() && renames.empty()) return false;
    const auto changes = [&](std::string_view name) {
      return numbers.contains(name) || renames.contains(name);
    };
    if (changes(text)) return true;
    const auto names = names_in(text);
    return names && std::any_of(names->begin(), names->end(), changes);
  }

  /// Many values have the same dims.
  const WrittenDim& written(Dim dim) {
    const auto [place, is_new] = written_.try_emplace(dim.expr());
    if (is_new) place->second = to_write(dim);
    return place->second;
  }

  WrittenDim to_write(Dim dim) {
    if (!dim.known()) return {};
    dim = namer_(dim);
    if (const std::optional<int64_t> number = dim.number()) {
      if (*number < 0) return {};
      return *number;
    }
    for_each_symbol(dim, [&](SymbolId symbol) {
      if (made_for_input_.contains(symbol)) used_.insert(symbol);
    });
    if (!options_.name_inputs && mentions_made(dim)) return {};
    if (options_.bare_names && !as_symbol(dim)) return {};
    std::string text = to_text(dim);
    if (text.empty()) return {};
    return text;
  }

  /// Whether the dim says more than a name that a tool has made up: it has none of those.
  [[nodiscard]] bool over_given_names(Dim dim) const {
    if (!dim.known()) return false;
    bool all = true;
    for_each_symbol(dim, [&](SymbolId symbol) {
      all = all && inference_.symbols->info(symbol).kind != SymbolKind::kInternal &&
            !inference_.declarations->is_made_up(inference_.symbols->name(symbol));
    });
    return all;
  }

  [[nodiscard]] bool mentions_made(Dim dim) const {
    bool found = false;
    for_each_symbol(dim,
                    [&](SymbolId symbol) { found = found || made_for_input_.contains(symbol); });
    return found;
  }

  WrittenDim kept(const DeclaredDim& declared) {
    const bool is_text = declared.kind == DeclaredDim::Kind::kText;
    if (is_text && replaced(declared.text)) return written(inference_.declarations->dim(declared));
    return written_dim(declared);
  }

  static DeclaredType::Kind kind_of(FactKind kind) {
    switch (kind) {
      case FactKind::kUnknown:
        return DeclaredType::Kind::kNone;
      case FactKind::kTensor:
        return DeclaredType::Kind::kTensor;
      case FactKind::kSparseTensor:
        return DeclaredType::Kind::kSparseTensor;
      case FactKind::kSequence:
        return DeclaredType::Kind::kSequence;
      case FactKind::kOptional:
        return DeclaredType::Kind::kOptional;
      case FactKind::kMap:
        return DeclaredType::Kind::kMap;
    }
    return DeclaredType::Kind::kNone;
  }

  /// The fact as a type; nothing if the format has no way to write it.
  std::optional<WrittenType> from_fact(const Fact& fact) {
    WrittenType type;
    type.kind = kind_of(fact.kind);
    if (type.kind == DeclaredType::Kind::kNone) return std::nullopt;
    type.elem = fact.elem;
    const bool holds_elem = fact.kind != FactKind::kSequence && fact.kind != FactKind::kOptional;
    if (holds_elem && fact.elem == ElemType::kUndefined) return std::nullopt;
    if (fact.shape) {
      type.has_shape = true;
      for (const Dim dim : *fact.shape) type.dims.push_back(written(dim));
    }
    const bool nests = fact.kind == FactKind::kSequence || fact.kind == FactKind::kOptional ||
                       fact.kind == FactKind::kMap;
    if (nests) {
      const std::optional<WrittenType> inner =
          fact.element ? from_fact(*fact.element) : std::nullopt;
      if (!inner) return std::nullopt;
      type.element = std::make_shared<const WrittenType>(*inner);
    }
    return type;
  }

  /// The declared type as it stands.
  WrittenType from_declared(const DeclaredType& declared) {
    WrittenType type;
    type.kind = declared.kind;
    type.elem = declared.elem;
    type.has_shape = declared.has_shape;
    for (const DeclaredDim& dim : declared.dims) type.dims.push_back(kept(dim));
    if (declared.element) {
      type.element = std::make_shared<const WrittenType>(from_declared(*declared.element));
    }
    return type;
  }

  /// Whether the declared text is a compound that means the inferred dim: one value has one
  /// spelling.
  [[nodiscard]] bool spelled_otherwise(const DeclaredDim& declared, Dim inferred) {
    const Dim meant = inference_.declarations->dim(declared);
    if (!meant.known() || !inferred.known()) return false;
    const std::optional<SymbolId> name = as_symbol(meant);
    if (name && inference_.symbols->name(*name) == declared.text) return false;
    return namer_(meant) == namer_(inferred);
  }

  /// Whether the declared name was made up by a tool and what is inferred is in the author's words.
  [[nodiscard]] bool outranked(std::string_view name, Dim inferred, bool is_public) const {
    const Declarations& declarations = *inference_.declarations;
    return declarations.is_made_up(name) && !(is_public && declarations.is_exported(name)) &&
           over_given_names(inferred);
  }

  /// Whether an inferred dim is written where the author has declared one.
  [[nodiscard]] bool gives_way(const DeclaredDim& declared, Dim inferred, Replacing replacing) {
    switch (declared.kind) {
      case DeclaredDim::Kind::kUnnamed:
        return true;
      case DeclaredDim::Kind::kNumber:
        return options_.override_conflicts && inferred.number() &&
               inferred.number() != declared.number;
      case DeclaredDim::Kind::kText:
        return (replacing.full && over_input_names(inference_, inferred)) ||
               outranked(declared.text, inferred, replacing.is_public) ||
               spelled_otherwise(declared, inferred);
    }
    return false;
  }

  /// The declared type with what it leaves open taken from the fact.
  WrittenType merged(const DeclaredType& declared, const Fact& fact, Replacing replacing) {
    WrittenType type = from_declared(declared);
    if (declared.kind == DeclaredType::Kind::kNone) return from_fact(fact).value_or(type);
    const bool other_kind = kind_of(fact.kind) != declared.kind;
    const bool other_rank =
        fact.shape && declared.has_shape && fact.shape->size() != declared.dims.size();
    if (other_kind || other_rank) {
      const bool known = fact.kind != FactKind::kUnknown;
      return options_.override_conflicts && known ? from_fact(fact).value_or(type) : type;
    }
    const bool other_elem = type.elem != fact.elem && fact.elem != ElemType::kUndefined;
    if (type.elem == ElemType::kUndefined || (other_elem && options_.override_conflicts)) {
      type.elem = fact.elem;
    }
    if (declared.element && fact.element) {
      type.element =
          std::make_shared<const WrittenType>(merged(*declared.element, *fact.element, replacing));
    }
    if (!fact.shape) return type;
    if (!declared.has_shape) {
      type.has_shape = true;
      for (const Dim dim : *fact.shape) type.dims.push_back(written(dim));
      return type;
    }
    for (size_t axis = 0; axis < type.dims.size(); ++axis) {
      const Dim inferred = (*fact.shape)[axis];
      if (!gives_way(declared.dims[axis], inferred, replacing)) continue;
      WrittenDim filled = written(inferred);
      if (!std::holds_alternative<std::monostate>(filled)) type.dims[axis] = std::move(filled);
    }
    return type;
  }

  void decide(ValueId id) {
    const Value& value = model_.value(id);
    const Scope& scope = model_.scope(value.scope);
    const std::optional<Fact>& fact = inference_.facts[id];
    if (fact && fact->kind != FactKind::kUnknown) count(*fact);
    if (!writable(scope)) return;
    if (value.scope_input && value.input_annotation != kNoId) {
      rewrite_input(id, model_.annotations()[value.input_annotation].type);
    }
    const bool output = value.scope_output && value.output_annotation != kNoId;
    if (output) set(id, Annotation::Role::kOutput, value.output_annotation, fact);
    if (value.value_info != kNoId) {
      set(id, Annotation::Role::kValueInfo, value.value_info, fact);
    } else if (!output && value.producer != kNoId) {
      set(id, Annotation::Role::kValueInfo, kNoId, fact);
    }
  }

  /// A body's and a graph's inputs are the author's; only the numbers of --dim change them here.
  void rewrite_input(ValueId id, const DeclaredType& declared) {
    WrittenType type = from_declared(declared);
    if (!same_type(declared, type)) {
      decision_.changes.set.push_back({id, Annotation::Role::kInput, std::move(type)});
    }
  }

  void set(ValueId id, Annotation::Role role, uint32_t annotation,
           const std::optional<Fact>& fact) {
    const DeclaredType* declared =
        annotation == kNoId ? nullptr : &model_.annotations()[annotation].type;
    std::optional<WrittenType> type;
    const bool forgotten =
        role == Annotation::Role::kValueInfo && (options_.fresh || dropped_.contains(annotation));
    if (declared == nullptr || forgotten) {
      if (fact) type = from_fact(*fact);
      if (!type) return;
    } else {
      const bool public_output =
          role == Annotation::Role::kOutput && model_.value(id).scope == model_.main_graph();
      const bool keep = public_output && options_.outputs == Outputs::kKeep;
      const bool full = public_output && options_.outputs == Outputs::kFull;
      type = fact && !keep ? merged(*declared, *fact, {public_output, full})
                           : from_declared(*declared);
    }
    if (annotation != kNoId) decided_.insert(annotation);
    if (declared == nullptr || !same_type(*declared, *type)) {
      decision_.changes.set.push_back({id, role, std::move(*type)});
    }
  }

  /// Of the value_info that is forgotten, that of values that inference knows nothing of, and of no
  /// value at all.
  void remove_the_rest() {
    if (!options_.fresh && !options_.drop_stale) return;
    for (uint32_t i = 0; i < model_.annotations().size(); ++i) {
      const Annotation& annotation = model_.annotations()[i];
      if (annotation.role != Annotation::Role::kValueInfo || decided_.contains(i)) continue;
      const bool stale = annotation.value == kNoId || dropped_.contains(i);
      if (options_.fresh || stale) decision_.changes.remove.push_back(i);
    }
  }

  void name_inputs() {
    if (!options_.name_inputs) return;
    std::vector<TypeChange> changes;
    for (const Inference::NamedInput& input : inference_.named_inputs) {
      const std::optional<SymbolId> symbol = as_symbol(input.symbol);
      if (!symbol || !used_.contains(*symbol)) continue;
      if (changes.empty() || changes.back().value != input.value) {
        const uint32_t annotation = model_.value(input.value).input_annotation;
        if (annotation == kNoId) continue;
        changes.push_back({input.value, Annotation::Role::kInput,
                           from_declared(model_.annotations()[annotation].type)});
      }
      changes.back().type.dims[input.axis] = to_text(input.symbol);
    }
    std::unordered_set<ValueId> named;
    for (const TypeChange& change : changes) named.insert(change.value);
    std::erase_if(decision_.changes.set, [&](const TypeChange& change) {
      return change.role == Annotation::Role::kInput && named.contains(change.value);
    });
    decision_.changes.set.insert(decision_.changes.set.end(), changes.begin(), changes.end());
  }

  void count(const Fact& fact) {
    Tally& tally = decision_.tally;
    ++tally.values;
    if (!fact.is_tensor()) return;
    if (!fact.shape) {
      ++tally.unknown_rank;
      return;
    }
    for (const Dim dim : *fact.shape) {
      if (!dim.known()) {
        ++tally.unknown;
      } else if (dim.number()) {
        ++tally.numbers;
      } else {
        bool made = false;
        for_each_symbol(dim, [&](SymbolId symbol) {
          made = made || inference_.symbols->info(symbol).kind == SymbolKind::kInternal;
        });
        ++(made ? tally.internal : tally.author);
      }
    }
  }

  const Model& model_;
  const Inference& inference_;
  const DecideOptions& options_;
  Namer namer_;
  Decision decision_;
  std::unordered_set<uint32_t> dropped_;         // annotations that are forgotten
  std::unordered_set<uint32_t> decided_;         // annotations that stay or change
  std::unordered_set<SymbolId> made_for_input_;  // symbols of unnamed input dims
  std::unordered_map<const Expr*, WrittenDim> written_;
  std::unordered_set<SymbolId> used_;  // of them those that something written mentions
};

}  // namespace

Decision decide_annotations(const Model& model, const Inference& inference,
                            const DecideOptions& options) {
  return Decider(model, inference, options).run();
}

AnnotationChanges strip_annotations(const Model& model) {
  AnnotationChanges changes;
  remove_bounds(model, changes);
  for (uint32_t i = 0; i < model.annotations().size(); ++i) {
    if (model.annotations()[i].role == Annotation::Role::kValueInfo) changes.remove.push_back(i);
  }
  return changes;
}

}  // namespace onnx_shapes
