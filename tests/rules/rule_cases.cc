// Runs one row of a table test: a model with one node (or one body) through inference.
#include "tests/rules/rule_cases.h"

#include <onnx/defs/parser.h>
#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

#include <algorithm>

#include "expr/text.h"
#include "infer/engine.h"
#include "infer/infer.h"
#include "rules/rules.h"
#include "tests/rules/fact_text.h"

namespace onnx_shapes::test {
namespace {

using FactsResult = Result<std::vector<WrittenFact>, std::string>;

constexpr std::string_view kTestDomain = "onnx_shapes.test";

/// The range of a name: that of the header's comment, narrowed by the row's given().
Interval range_of(std::string_view name, std::string_view given) {
  Interval range = name.starts_with("v_") ? Interval::all() : Interval::at_least(0);
  size_t at = 0;
  while (at < given.size()) {
    const size_t end = std::min(given.find("&&", at), given.size());
    const auto words = split_outside_brackets(given.substr(at, end - at), ' ');
    if (words.size() == 3 && words[0] == name) {
      const int64_t number = std::stoll(words[2]);
      range = intersect(range,
                        words[1] == ">=" ? Interval::at_least(number) : Interval::at_most(number));
    }
    at = end + 2;
  }
  return range;
}

/// The rule of the node that stands for an input: sets the fact that the row writes.
Outcome set_written_fact(InferContext& ctx) {
  const std::string_view given = ctx.attr_string("given", "");
  const Names names = [&](std::string_view name) {
    return ctx.engine().symbols().author(name, SymbolKind::kInput, range_of(name, given), {});
  };
  auto written = read_fact(ctx.pool(), ctx.attr_string("text", ""), names);
  if (!written) return ctx.fail(Code::kInternalError, "test", written.reason());
  ctx.set(0, std::move(written->fact));
  return Outcome::kDone;
}

constexpr auto kTestRules = std::to_array<OpRule>({{"Fact", 1, set_written_fact}});

const RuleTable& rules_for_tests() {
  static const RuleTable kTable = [] {
    std::vector<Family> families{{kTestDomain, kTestRules}};
#define ONNX_SHAPES_ADD_FAMILY(name) \
  for (const Family& family : name##_family()) families.push_back(family);
    ONNX_SHAPES_FAMILIES(ONNX_SHAPES_ADD_FAMILY)
#undef ONNX_SHAPES_ADD_FAMILY
    return RuleTable(families);
  }();
  return kTable;
}

constexpr ElemType kInt32Data[] = {ElemType::kInt8,  ElemType::kInt16,  ElemType::kInt32,
                                   ElemType::kUint8, ElemType::kUint16, ElemType::kBool};

/// Writes the contents into the field that TensorProto has for the type; false if constants of that
/// type are not written here (the row's fact is set as it is instead).
bool fill_tensor(const WrittenFact& written, onnx::TensorProto& tensor) {
  const ElemType elem = written.fact.elem;
  for (const std::string& text : written.strings) tensor.add_string_data(text);
  if (!written.strings.empty()) return elem == ElemType::kString;
  for (const Scalar& scalar : *written.fact.elements) {
    const int64_t number = *scalar.numerator.number();
    const double quotient = static_cast<double>(number) / static_cast<double>(scalar.denominator);
    if (elem == ElemType::kFloat) {
      tensor.add_float_data(static_cast<float>(quotient));
    } else if (elem == ElemType::kDouble) {
      tensor.add_double_data(quotient);
    } else if (elem == ElemType::kInt64) {
      tensor.add_int64_data(number);
    } else if (elem == ElemType::kUint32 || elem == ElemType::kUint64) {
      tensor.add_uint64_data(static_cast<uint64_t>(number));
    } else if (std::find(std::begin(kInt32Data), std::end(kInt32Data), elem) !=
               std::end(kInt32Data)) {
      tensor.add_int32_data(static_cast<int32_t>(number));
    } else {
      return false;
    }
  }
  return true;
}

/// Adds an initializer for a constant, else a node whose rule sets the fact.
void add_input(onnx::GraphProto& graph, const std::string& name, const WrittenFact& written,
               const std::string& given) {
  if (written.constant()) {
    onnx::TensorProto tensor;
    tensor.set_name(name);
    tensor.set_data_type(static_cast<int32_t>(written.fact.elem));
    const auto dims = static_shape(*written.fact.shape);
    for (const int64_t dim : *dims) tensor.add_dims(dim);
    if (fill_tensor(written, tensor)) {
      *graph.add_initializer() = std::move(tensor);
      return;
    }
  }
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type("Fact");
  node.set_domain(std::string(kTestDomain));
  node.add_output(name);
  for (const auto& [key, value] : {std::pair{"text", &written.text}, {"given", &given}}) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(key);
    attribute.set_type(onnx::AttributeProto::STRING);
    attribute.set_s(*value);
  }
}

/// `Op name=value ...` or `Op <...>` as the ONNX text of a node.
std::string node_as_text(const std::string& node) {
  const size_t end = std::min(node.find(' '), node.size());
  std::string text = "y = " + node.substr(0, end);
  const std::string rest = node.substr(end);
  const size_t first = rest.find_first_not_of(' ');
  if (first == std::string::npos) return text + " ()";
  if (rest[first] == '<') return text + rest + " ()";
  text += " <";
  for (const std::string& attribute : split_outside_brackets(rest, ' ')) {
    text += (text.back() == '<' ? "" : ", ") + attribute;
  }
  return text + "> ()";
}

class RowRun {
 public:
  explicit RowRun(const RuleCase& row) : row_(row) {}

  std::string check() {
    if (std::string error = build(); !error.empty()) return error;
    const std::string bytes = model_.SerializeAsString();
    const std::span<const uint8_t> span(reinterpret_cast<const uint8_t*>(bytes.data()),
                                        bytes.size());
    Findings load_findings;
    auto model = Model::load(MappedFile::borrow(span, "row.onnx"), {}, load_findings);
    if (!model) return "the row's model does not load: " + model.reason().message;
    for (const Finding& finding : load_findings.all()) {
      if (finding.severity == Severity::kError) return "the row's model: " + finding.message;
    }
    const Inference inference = infer(*model, rules_for_tests(), nullptr, {}, findings_);
    std::string wrong = compare_findings(Severity::kError, row_.error) +
                        compare_findings(Severity::kWarning, row_.warning);
    if (row_.outputs) wrong += compare_outputs(*model, inference);
    return wrong + check_claims(inference, row_.facts) + check_claims(inference, row_.bounds);
  }

 private:
  /// Makes the model; what is wrong with the row's texts, if something is.
  std::string build() {
    Pool pool;
    SymbolTable symbols(pool);
    const Names any_name = [&](std::string_view name) {
      return symbols.author(name, SymbolKind::kInput, Interval::all(), {});
    };
    const FactsResult inputs = read_facts(pool, row_.inputs, any_name);
    if (!inputs) return inputs.reason();
    onnx::GraphProto& graph = *model_.mutable_graph();
    graph.set_name("row");
    if (row_.node.starts_with('{')) {
      onnx::GraphProto body;
      const std::string text = "row () => () " + row_.node;
      const auto status = onnx::OnnxParser::Parse(body, text.c_str());
      if (!status.IsOK()) return status.ErrorMessage();
      add_inputs(graph, *inputs);
      graph.mutable_node()->MergeFrom(body.node());
      graph.mutable_initializer()->MergeFrom(body.initializer());
    } else {
      onnx::NodeProto node;
      const auto status = onnx::OnnxParser::Parse(node, node_as_text(row_.node).c_str());
      if (!status.IsOK()) return status.ErrorMessage();
      node.set_name("n");
      node.set_domain(row_.domain);
      node.clear_output();
      const std::string outputs = row_.outputs.value_or("?");
      const auto parts = split_outside_brackets(outputs, ' ');
      for (size_t i = 0; i < parts.size(); ++i) {
        node.add_output(parts[i] == "-" ? "" : "y" + std::to_string(i));
      }
      for (const std::string& name : add_inputs(graph, *inputs)) node.add_input(name);
      *graph.add_node() = std::move(node);
    }
    import_opsets();
    return "";
  }

  std::vector<std::string> add_inputs(onnx::GraphProto& graph,
                                      const std::vector<WrittenFact>& inputs) {
    std::vector<std::string> names;
    for (size_t i = 0; i < inputs.size(); ++i) {
      names.push_back(inputs[i].left_out ? "" : "x" + std::to_string(i));
      if (!inputs[i].left_out) add_input(graph, names.back(), inputs[i], row_.given);
    }
    return names;
  }

  void import_opsets() {
    model_.set_ir_version(onnx::Version::IR_VERSION);
    const auto import = [&](const std::string& domain, int64_t version) {
      onnx::OperatorSetIdProto& opset = *model_.add_opset_import();
      opset.set_domain(domain);
      opset.set_version(version);
    };
    const auto& newest = onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map();
    const auto version = [&](const std::string& domain) -> int64_t {
      if (domain == row_.domain && row_.opset) return *row_.opset;
      const auto found = newest.find(domain);
      return found == newest.end() ? 1 : found->second.second;
    };
    import(std::string(kTestDomain), 1);
    import("", version(""));
    if (!row_.domain.empty()) import(row_.domain, version(row_.domain));
  }

  /// Every finding of the severity has the expected code and text, and there is one.
  std::string compare_findings(Severity severity, const std::string& expected) const {
    const size_t space = std::min(expected.find(' '), expected.size());
    const std::string code = expected.substr(0, space);
    const std::string text = expected.substr(std::min(space + 1, expected.size()));
    bool seen = expected.empty();
    std::string wrong;
    for (const Finding& finding : findings_.all()) {
      if (finding.severity != severity) continue;
      if (!expected.empty() && code_id(finding.code) == code &&
          finding.message.find(text) != std::string::npos) {
        seen = true;
      } else {
        wrong += code_id(finding.code) + ": " + finding.message + "; ";
      }
    }
    if (!seen) wrong += "no finding " + expected + "; ";
    return wrong;
  }

  std::string compare_outputs(const Model& model, const Inference& inference) const {
    const FactsResult outputs = read_facts(*inference.pool, *row_.outputs, known(inference));
    if (!outputs) return outputs.reason() + made_names(inference);
    std::string wrong;
    for (size_t i = 0; i < outputs->size(); ++i) {
      const WrittenFact& expected = (*outputs)[i];
      if (expected.left_out) continue;
      const Fact actual = fact_of(model, inference, "y" + std::to_string(i));
      if (!same(inference, expected, actual)) {
        wrong += "y" + std::to_string(i) + " is " + write_fact(actual) + ", expected " +
                 expected.text + " (read as " + write_fact(expected.fact) + "); ";
      }
    }
    return wrong;
  }

  static Names known(const Inference& inference) {
    return [&](std::string_view name) { return inference.symbols->find(name); };
  }

  static std::string made_names(const Inference& inference) {
    std::string names = "; inference made:";
    for (SymbolId id = 0; id < inference.symbols->size(); ++id) {
      if (made(inference, id)) names += " " + inference.symbols->name(id);
    }
    return names + "; ";
  }

  static bool made(const Inference& inference, SymbolId id) {
    return inference.symbols->info(id).kind == SymbolKind::kInternal;
  }

  static Fact fact_of(const Model& model, const Inference& inference, const std::string& name) {
    for (ValueId id = 0; id < model.value_count(); ++id) {
      const Value& value = model.value(id);
      if (value.scope == model.main_graph() && value.name == name) {
        return inference.facts[id].value_or(Fact::unknown());
      }
    }
    return Fact::unknown();
  }

  static bool same_dim(const Inference& inference, Dim expected, Dim actual) {
    if (expected.known()) return inference.constraints->resolve(expected) == actual;
    bool any_made = !actual.known();
    for_each_symbol(actual, [&](SymbolId id) { any_made = any_made || made(inference, id); });
    return any_made;
  }

  static bool same_contents(const Inference& inference, const WrittenFact& expected,
                            const Fact& actual) {
    if (!expected.has_contents) return true;
    if (expected.nothing_known) {
      return !actual.elements || std::none_of(actual.elements->begin(), actual.elements->end(),
                                              [](const Scalar& e) { return e.known(); });
    }
    if (!expected.strings.empty()) return true;
    if (!actual.elements || actual.elements->size() != expected.fact.elements->size()) return false;
    return std::equal(actual.elements->begin(), actual.elements->end(),
                      expected.fact.elements->begin(), [&](const Scalar& a, const Scalar& e) {
                        return same_dim(inference, e.numerator, a.numerator) &&
                               (!e.known() || a.denominator == e.denominator);
                      });
  }

  static bool same(const Inference& inference, const WrittenFact& expected, const Fact& actual) {
    return same_type(inference, expected.fact, actual) &&
           same_contents(inference, expected, actual);
  }

  static bool same_type(const Inference& inference, const Fact& expected, const Fact& actual) {
    if (expected.kind != actual.kind || expected.elem != actual.elem) return false;
    if (expected.shape.has_value() != actual.shape.has_value()) return false;
    if (expected.shape &&
        !std::equal(expected.shape->begin(), expected.shape->end(), actual.shape->begin(),
                    actual.shape->end(), [&](Dim e, Dim a) { return same_dim(inference, e, a); })) {
      return false;
    }
    if (expected.length.known() && !same_dim(inference, expected.length, actual.length)) {
      return false;
    }
    const Fact expected_element = expected.element ? *expected.element : Fact::unknown();
    const Fact actual_element = actual.element ? *actual.element : Fact::unknown();
    return expected.kind == FactKind::kUnknown || expected.kind == FactKind::kTensor ||
           expected.kind == FactKind::kSparseTensor ||
           same_type(inference, expected_element, actual_element);
  }

  /// Each claim follows from what was recorded, and does not hold by itself.
  static std::string check_claims(const Inference& inference, const std::string& claims) {
    std::string wrong;
    for (size_t at = 0; at < claims.size();) {
      const size_t end = std::min(claims.find("&&", at), claims.size());
      wrong += check_claim(inference, claims.substr(at, end - at));
      at = end + 2;
    }
    return wrong;
  }

  static std::string check_claim(const Inference& inference, const std::string& claim) {
    const bool equality = claim.find("==") != std::string::npos;
    const size_t at = claim.find(equality ? "==" : "<=");
    if (at == std::string::npos) return "a claim has neither == nor <=: " + claim + "; ";
    const auto side = [&](size_t from, size_t count) {
      const auto words = split_outside_brackets(claim.substr(from, count), '\n');
      const auto dim =
          parse_dim(*inference.pool, words.empty() ? "" : words.front(), known(inference));
      return dim ? *dim : Dim();
    };
    const Dim a = side(0, at);
    const Dim b = side(at + 2, std::string::npos);
    if (!a.known() || !b.known()) return "cannot read " + claim + made_names(inference);
    const auto holds = [&](Prover& prover) {
      return (equality ? prover.equal(a, b) : prover.at_most(a, b)) == Truth::kTrue;
    };
    Prover ranges(*inference.pool);
    if (holds(ranges)) return claim + " holds by itself; ";
    Prover prover(*inference.pool, inference.constraints.get());
    const bool recorded = equality ? inference.constraints->has_equal(a, b)
                                   : inference.constraints->has_at_most(a, b);
    return recorded || holds(prover) ? "" : claim + " does not follow; ";
  }

  const RuleCase& row_;
  onnx::ModelProto model_;
  Findings findings_;
};

}  // namespace

std::string check_rule_case(const RuleCase& rule_case) { return RowRun(rule_case).check(); }

}  // namespace onnx_shapes::test
