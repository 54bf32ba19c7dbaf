#include "tests/facts/world.h"

#include <cctype>
#include <cstdlib>
#include <iostream>

namespace onnx_shapes::testing {

std::string trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return std::string(text);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = text.find(separator);
    std::string part = trimmed(text.substr(0, end));
    if (!part.empty()) parts.push_back(std::move(part));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return parts;
}

Relation relation(std::string_view text) {
  for (const std::string_view op : {"==", "<=", ">=", "<", "|"}) {
    const size_t at = text.find(op);
    if (at == std::string_view::npos) continue;
    return {trimmed(text.substr(0, at)), std::string(op), trimmed(text.substr(at + op.size()))};
  }
  std::cerr << "not a relation: " << text << "\n";
  std::abort();
}

Dim World::dim(std::string_view text) {
  const auto name = [this](std::string_view n) {
    const bool upper = std::isupper(static_cast<unsigned char>(n[0])) != 0;
    const Interval range = n[0] == 'x' ? Interval::all() : Interval::at_least(0);
    if (const Dim known = symbols.find(n); known.known()) return known;
    if (upper) return symbols.author(n, SymbolKind::kInput, range, {});
    if (n.starts_with("out")) return symbols.author(n, SymbolKind::kDeclared, range, {});
    if (n.starts_with("nameless")) {
      return symbols.fresh(n, range, {.kind = Origin::Kind::kAnchor});
    }
    return symbols.fresh(n, range, {});
  };
  const auto result = parse_dim(pool, text, name);
  if (!result) {
    std::cerr << "cannot read " << text << ": " << result.reason().message << "\n";
    std::abort();
  }
  return *result;
}

std::optional<Contradiction> World::add(std::string_view facts) {
  for (const std::string& fact : split(facts, ';')) {
    const bool anchored = fact.starts_with("anchor ");
    const Holds holds = anchored ? Holds::kUnderAnchor : Holds::kEveryRun;
    const Relation said = relation(std::string_view(fact).substr(anchored ? 7 : 0));
    const Dim a = dim(said.lhs);
    const Dim b = dim(said.rhs);
    const Origin origin{Origin::Kind::kNode, next_node++, 0, -1, ""};
    if (said.op == "==") {
      if (auto contradiction = constraints.add_equal(a, b, origin, holds)) return contradiction;
    } else if (said.op == "<=") {
      constraints.add_at_most(a, b, origin, holds);
    } else if (said.op == "<") {
      constraints.add_at_most(a + 1, b, origin, holds);
    } else {
      constraints.add_at_most(b, a, origin, holds);
    }
  }
  return std::nullopt;
}

Truth World::ask(std::string_view question) {
  const Relation asked = relation(question);
  if (asked.op == "|") return prover.divisible(dim(asked.rhs), std::atoll(asked.lhs.c_str()));
  const Dim a = dim(asked.lhs);
  const Dim b = dim(asked.rhs);
  if (asked.op == "==") return prover.equal(a, b);
  if (asked.op == "<=") return prover.at_most(a, b);
  if (asked.op == "<") return prover.less(a, b);
  return prover.at_most(b, a);
}

}  // namespace onnx_shapes::testing
