// Compares two contracts: what the old inputs may be is put in for the names of the new ones, and
// then every promise of the old outputs is looked for among those of the new ones.
#include <fmt/format.h>

#include <functional>
#include <map>
#include <set>

#include "check/contract.h"
#include "expr/text.h"

namespace onnx_shapes {
namespace {

std::string_view kind_name(DeclaredType::Kind kind) {
  switch (kind) {
    case DeclaredType::Kind::kNone:
      return "nothing";
    case DeclaredType::Kind::kTensor:
      return "a tensor";
    case DeclaredType::Kind::kSparseTensor:
      return "a sparse tensor";
    case DeclaredType::Kind::kSequence:
      return "a sequence";
    case DeclaredType::Kind::kOptional:
      return "an optional";
    case DeclaredType::Kind::kMap:
      return "a map";
    case DeclaredType::Kind::kOpaque:
      return "an opaque type";
  }
  return "nothing";
}

void for_each_dim(const WrittenType& type, const std::function<void(const WrittenDim&)>& visit) {
  for (const WrittenDim& dim : type.dims) visit(dim);
  if (type.element) for_each_dim(*type.element, visit);
}

/// Empty if the rank is the same.
std::string rank_change(const WrittenType& before, const WrittenType& after) {
  const auto rank = [](const WrittenType& type) {
    return type.has_shape ? fmt::format("rank {}", type.dims.size()) : std::string("any rank");
  };
  if (rank(before) == rank(after)) return {};
  return fmt::format("it had {}, and has {}", rank(before), rank(after));
}

/// The texts of a contract that are a name by themselves.
std::set<std::string, std::less<>> names_of(const Contract& contract) {
  std::set<std::string, std::less<>> names;
  const auto add = [&](const WrittenDim& dim) {
    const auto* text = std::get_if<std::string>(&dim);
    if (text == nullptr) return;
    const auto inside = names_in(*text);
    if (!inside || (inside->size() == 1 && inside->front() == *text)) names.insert(*text);
  };
  for (const PublicValue& input : contract.inputs) for_each_dim(input.type, add);
  for (const PublicValue& output : contract.outputs) for_each_dim(output.type, add);
  return names;
}

/// What the names of one contract stand for, in a pool that both contracts share.
class Names {
 public:
  Names(Pool& pool, const Contract& contract) : pool_(pool), declared_(names_of(contract)) {}

  [[nodiscard]] bool is_name(const std::string& text) const {
    return declared_.contains(text) || !reads_as_expression(text);
  }
  [[nodiscard]] Dim of(const std::string& name) const {
    const auto bound = bound_.find(name);
    return bound == bound_.end() ? Dim() : bound->second;
  }
  void bind(const std::string& name, Dim dim) { bound_.emplace(name, dim); }
  /// The dim that the name is bound to; a symbol of its own on the first call.
  Dim of_or_new(const std::string& name) {
    if (const Dim known = of(name); known.known()) return known;
    bind(name, pool_.symbol(pool_.add_symbol(name)));
    return of(name);
  }
  /// Unknown if it mentions a name that is not bound.
  [[nodiscard]] Dim read(const std::string& text) const {
    if (is_name(text)) return of(text);
    const auto dim =
        parse_dim(pool_, text, [&](std::string_view name) { return of(std::string(name)); });
    return dim ? *dim : Dim();
  }
  /// Unbound names become symbols.
  Dim read_or_new(const std::string& text) {
    if (is_name(text)) return of_or_new(text);
    const auto dim =
        parse_dim(pool_, text, [&](std::string_view name) { return of_or_new(std::string(name)); });
    return dim ? *dim : of_or_new(text);
  }

 private:
  /// As in a model: only if each of its names stands alone somewhere.
  [[nodiscard]] bool reads_as_expression(const std::string& text) const {
    const auto inside = names_in(text);
    if (!inside) return false;
    for (const std::string& name : *inside) {
      if (!declared_.contains(name)) return false;
    }
    return true;
  }

  Pool& pool_;
  std::set<std::string, std::less<>> declared_;
  std::map<std::string, Dim, std::less<>> bound_;
};

class Comparison {
 public:
  Comparison(const Contract& before, const Contract& after, Findings& findings)
      : before_(before),
        after_(after),
        findings_(findings),
        old_names_(pool_, before),
        new_names_(pool_, after) {}

  void run() {
    compare_inputs();
    compare_outputs();
    compare_order("inputs", before_.inputs, after_.inputs);
    compare_order("outputs", before_.outputs, after_.outputs);
  }

 private:
  using Values = std::vector<PublicValue>;

  static const PublicValue* find(const Values& values, const std::string& name) {
    for (const PublicValue& value : values) {
      if (value.name == name) return &value;
    }
    return nullptr;
  }

  void add(Code code, const PublicValue& value, std::optional<size_t> axis, std::string message,
           std::string help) {
    Place place = value.place;
    if (axis) place.axis = static_cast<int64_t>(*axis);
    findings_.add(make_finding(code, std::move(place), std::move(message), std::move(help)));
  }

  void narrowed(const PublicValue& value, std::optional<size_t> axis, std::string message) {
    add(Code::kInputNarrowed, value, axis, std::move(message),
        "accept what the old model accepted, or tell callers");
  }

  void weakened(const PublicValue& value, std::optional<size_t> axis, std::string message) {
    add(Code::kOutputChanged, value, axis, std::move(message),
        "keep what the old model promised, or tell callers");
  }

  void widened(const PublicValue& value, std::optional<size_t> axis, std::string message) {
    add(Code::kContractWidened, value, axis, std::move(message), "");
  }

  void compare_inputs() {
    for (const PublicValue& old : before_.inputs) {
      if (find(after_.inputs, old.name) != nullptr) continue;
      add(Code::kInputRemoved, old, {}, "the new model has no such input",
          "keep the input, or tell callers");
    }
    for (const PublicValue& value : after_.inputs) {
      const PublicValue* old = find(before_.inputs, value.name);
      if (old != nullptr) {
        if (old->optional && !value.optional) {
          narrowed(value, {}, "callers could leave it out, and now have to pass it");
        }
        accept(old->type, value.type, value);
      } else if (value.optional) {
        widened(value, {}, "a new input, which callers may leave out");
      } else {
        add(Code::kInputAdded, value, {}, "the old model has no such input",
            "give it an initializer, so that callers may leave it out, or tell them");
      }
    }
    for (const std::function<void()>& compare : compounds_) compare();
    tell_new_names();
  }

  void compare_outputs() {
    for (const PublicValue& old : before_.outputs) {
      if (find(after_.outputs, old.name) != nullptr) continue;
      add(Code::kOutputRemoved, old, {}, "the new model has no such output",
          "keep the output, or tell callers");
    }
    for (const PublicValue& value : after_.outputs) {
      const PublicValue* old = find(before_.outputs, value.name);
      if (old == nullptr) {
        widened(value, {}, "a new output");
      } else {
        promise(old->type, value.type, value);
      }
    }
  }

  /// Whether kinds and element types agree; else the finding says how they differ.
  template <class Broken>
  bool same_type(const WrittenType& before, const WrittenType& after, const Broken& broken) {
    if (before.kind != after.kind) {
      broken(fmt::format("it was {}, and is {}", kind_name(before.kind), kind_name(after.kind)));
      return false;
    }
    if (before.elem != after.elem) {
      broken(fmt::format("it was of {}, and is of {}", elem_type_name(before.elem),
                         elem_type_name(after.elem)));
      return false;
    }
    return true;
  }

  /// Whether the new input takes all that the old one took. Binds the names of the new one.
  void accept(const WrittenType& before, const WrittenType& after, const PublicValue& value) {
    if (after.kind == DeclaredType::Kind::kNone) return;
    const auto broken = [&](std::string message) { narrowed(value, {}, std::move(message)); };
    if (!same_type(before, after, broken)) return;
    if (before.element && after.element) accept(*before.element, *after.element, value);
    if (const std::string change = rank_change(before, after); !change.empty()) {
      return after.has_shape ? narrowed(value, {}, change) : widened(value, {}, change);
    }
    for (size_t axis = 0; axis < after.dims.size(); ++axis) {
      accept_dim(before.dims[axis], after.dims[axis], value, axis);
    }
  }

  void accept_dim(const WrittenDim& before, const WrittenDim& after, const PublicValue& value,
                  size_t axis) {
    const Dim old = old_input_dim(before);
    const auto* text = std::get_if<std::string>(&after);
    if (const auto* number = std::get_if<int64_t>(&after)) {
      if (!old.is(*number)) {
        narrowed(value, axis, fmt::format("it was {}, and is {}", dim_text(before), *number));
      }
      return;
    }
    if (old.number())
      widened(value, axis, fmt::format("it was {}, and may be any size", dim_text(before)));
    if (text == nullptr) return;
    if (!new_names_.is_name(*text)) {
      // Its names may be bound further on.
      compounds_.emplace_back([this, old, before, text, &value, axis] {
        if (new_names_.read(*text) == old) return;
        narrowed(value, axis, fmt::format("it was {}, and is {}", dim_text(before), *text));
      });
      return;
    }
    const Dim bound = new_names_.of(*text);
    if (!bound.known()) {
      new_names_.bind(*text, old);
      new_order_.push_back({*text, before, &value, axis});
    } else if (bound != old) {
      narrowed(value, axis,
               fmt::format("it was {}, and has to be {} now, as another axis that was {}",
                           dim_text(before), *text, to_text(bound)));
    }
  }

  /// An unnamed dim is any size.
  Dim old_input_dim(const WrittenDim& dim) {
    if (const auto* number = std::get_if<int64_t>(&dim)) return pool_.constant(*number);
    if (const auto* text = std::get_if<std::string>(&dim)) return old_names_.read_or_new(*text);
    return pool_.symbol(pool_.add_symbol("?"));
  }

  void tell_new_names() {
    std::map<std::string, std::string> now;  // by old name
    for (const Bound& bound : new_order_) {
      const auto* old = std::get_if<std::string>(&bound.before);
      if (old == nullptr) continue;
      const auto [first, is_new] = now.emplace(*old, bound.name);
      if (!is_new) {
        widened(*bound.value, bound.axis,
                fmt::format("it was {}, and may differ from {} now", *old, first->second));
      } else if (*old != bound.name) {
        add(Code::kNameChanged, *bound.value, bound.axis,
            fmt::format("{} is called {} now", *old, bound.name), "");
      }
    }
  }

  /// Whether the new output promises all that the old one did.
  void promise(const WrittenType& before, const WrittenType& after, const PublicValue& value) {
    if (before.kind == DeclaredType::Kind::kNone) return;
    const auto broken = [&](std::string message) { weakened(value, {}, std::move(message)); };
    if (!same_type(before, after, broken)) return;
    if (before.element && after.element) promise(*before.element, *after.element, value);
    if (const std::string change = rank_change(before, after); !change.empty()) {
      return before.has_shape ? weakened(value, {}, change) : widened(value, {}, change);
    }
    for (size_t axis = 0; axis < after.dims.size(); ++axis) {
      promise_dim(before.dims[axis], after.dims[axis], value, axis);
    }
  }

  void promise_dim(const WrittenDim& before, const WrittenDim& after, const PublicValue& value,
                   size_t axis) {
    Dim now;
    if (const auto* number = std::get_if<int64_t>(&after)) now = pool_.constant(*number);
    if (const auto* text = std::get_if<std::string>(&after)) now = new_names_.read_or_new(*text);
    Dim then;
    if (const auto* number = std::get_if<int64_t>(&before)) then = pool_.constant(*number);
    if (const auto* text = std::get_if<std::string>(&before)) {
      then = old_names_.read(*text);
      if (!then.known()) {
        // A size that only outputs have: whatever the new one says, it says of all of them.
        if (old_names_.is_name(*text) && now.known()) old_names_.bind(*text, now);
        return;
      }
    }
    if (!then.known()) {
      if (now.known()) {
        widened(value, axis, fmt::format("it was unnamed, and is {}", dim_text(after)));
      }
    } else if (now != then) {
      weakened(value, axis,
               fmt::format("it was {}, and is {}", dim_text(before),
                           now.known() ? dim_text(after) : std::string("any size")));
    }
  }

  void compare_order(std::string_view what, const Values& before, const Values& after) {
    std::vector<std::string> then;
    std::vector<std::string> now;
    for (const PublicValue& value : before) {
      if (find(after, value.name) != nullptr) then.push_back(value.name);
    }
    for (const PublicValue& value : after) {
      if (find(before, value.name) != nullptr) now.push_back(value.name);
    }
    if (then == now) return;
    Place place = find(after, now.front())->place;
    findings_.add(make_finding(Code::kInterfaceOrder, std::move(place),
                               fmt::format("the {} were {}, and are {}", what,
                                           fmt::join(then, ", "), fmt::join(now, ", ")),
                               "keep the order for callers that go by it"));
  }

  struct Bound {
    std::string name;
    WrittenDim before;
    const PublicValue* value;
    size_t axis;
  };

  const Contract& before_;
  const Contract& after_;
  Findings& findings_;
  Pool pool_;
  Names old_names_;
  Names new_names_;
  std::vector<std::function<void()>> compounds_;
  std::vector<Bound> new_order_;  // names of the new inputs, in the order in which they are bound
};

}  // namespace

void compare_contracts(const Contract& before, const Contract& after, Findings& findings) {
  Comparison(before, after, findings).run();
}

}  // namespace onnx_shapes
