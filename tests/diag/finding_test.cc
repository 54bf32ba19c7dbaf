// Codes, places, and the collection of findings.
#include "diag/finding.h"

#include <string>
#include <utility>

#include "tests/support/catch.h"

namespace onnx_shapes {
namespace {

Finding finding(Code code, const std::string& message) {
  Place place;
  place.file = "m.onnx";
  return make_finding(code, std::move(place), message);
}

}  // namespace

TEST_CASE("Codes have an id and a name") {
  CHECK(code_id(Code::kDimContradiction) == "SHP203");
  CHECK(code_id(Code::kFileUnreadable) == "SHP001");
  CHECK(code_name(Code::kDimContradiction) == "dim-contradiction");
  CHECK(info(Code::kNodeOrder).severity == Severity::kWarning);
}

TEST_CASE("Numbers and names of codes are unique") {
  for (const CodeInfo& a : all_codes()) {
    for (const CodeInfo& b : all_codes()) {
      if (&a != &b) {
        CHECK(a.number != b.number);
        CHECK(a.camel_name != b.camel_name);
      }
    }
  }
}

TEST_CASE("A place prints as a path") {
  Place place;
  place.file = "model.onnx";
  CHECK(to_string(place) == "model.onnx");
  place.graph = "graph/If_0.then_branch";
  place.node = "Add_1";
  place.role = "output";
  place.value = "y";
  place.axis = 1;
  CHECK(to_string(place) == "model.onnx:graph/If_0.then_branch/Add_1:output y[axis 1]");
  Place bytes;
  bytes.file = "model.onnx";
  bytes.offset = 17;
  CHECK(to_string(bytes) == "model.onnx:byte 17");
}

TEST_CASE("Control characters of hostile names are escaped in places") {
  Place place;
  place.file = "m\x1b[31m.onnx";
  place.node = "a\nb";
  CHECK(to_string(place) == "m\\x1b[31m.onnx:a\\x0ab");
}

TEST_CASE("Equal findings are kept once, in order of discovery") {
  Findings findings;
  findings.add(finding(Code::kCycle, "b"));
  findings.add(finding(Code::kCycle, "a"));
  findings.add(finding(Code::kCycle, "b"));
  findings.add(finding(Code::kNodeOrder, "b"));
  REQUIRE(findings.all().size() == 3);
  CHECK(findings.all()[0].message == "b");
  CHECK(findings.all()[1].message == "a");
  CHECK(findings.count(Severity::kError) == 2);
  CHECK(findings.count(Severity::kWarning) == 3);
}

TEST_CASE("Past the cap of a code findings are counted") {
  Findings findings(2);
  for (int i = 0; i < 5; ++i) findings.add(finding(Code::kCycle, std::to_string(i)));
  findings.add(finding(Code::kNodeOrder, "another code"));
  CHECK(findings.all().size() == 3);
  CHECK(findings.suppressed() == 3);
}

TEST_CASE("Rolling back forgets what came after the mark") {
  Findings findings(10);
  for (int i = 0; i < 8; ++i) findings.add(finding(Code::kCycle, "kept " + std::to_string(i)));
  const size_t mark = findings.mark();
  for (int i = 0; i < 100; ++i) {
    findings.add(finding(Code::kCycle, "a" + std::to_string(i)));
    findings.add(finding(Code::kTensorData, "b" + std::to_string(i)));
  }
  CHECK(findings.suppressed() == 98 + 90);
  findings.roll_back(mark);
  CHECK(findings.mark() == mark);
  CHECK(findings.all().size() == 8);
  CHECK(findings.suppressed() == 0);

  // What was kept is still known, what was forgotten can come again, and the cap counts anew.
  for (int i = 0; i < 8; ++i) findings.add(finding(Code::kCycle, "kept " + std::to_string(i)));
  CHECK(findings.all().size() == 8);
  findings.add(finding(Code::kCycle, "a0"));
  findings.add(finding(Code::kCycle, "a1"));
  findings.add(finding(Code::kCycle, "a2"));
  CHECK(findings.all().size() == 10);
  CHECK(findings.suppressed() == 1);
}

TEST_CASE("Rolling back keeps the count of what was dropped before the mark") {
  Findings findings(1);
  findings.add(finding(Code::kCycle, "kept"));
  findings.add(finding(Code::kCycle, "dropped"));
  const size_t mark = findings.mark();
  findings.add(finding(Code::kCycle, "dropped, too"));
  CHECK(findings.suppressed() == 2);
  findings.roll_back(mark);
  CHECK(findings.suppressed() == 1);
  CHECK(findings.all().size() == 1);
  findings.roll_back(0);
  CHECK(findings.empty());
  CHECK(findings.suppressed() == 0);
}

TEST_CASE("What kept a file from being checked is known by its code") {
  CHECK(is_unchecked(Code::kFileUnreadable));
  CHECK(is_unchecked(Code::kLimitTime));
  CHECK(is_unchecked(Code::kInternalError));
  CHECK(!is_unchecked(Code::kDimContradiction));
  CHECK(!is_unchecked(Code::kExternalDataMissing));
}

TEST_CASE("Filtered findings keep their order, and count what the cap dropped of their codes") {
  Findings findings(1);
  findings.add(finding(Code::kDimContradiction, "1"));
  findings.add(finding(Code::kDimContradiction, "2"));
  findings.add(finding(Code::kNodeOrder, "3"));
  findings.add(finding(Code::kNodeOrder, "4"));
  findings.add(finding(Code::kCycle, "5"));
  REQUIRE(findings.suppressed() == 2);
  const auto not_order = [](Code code) { return code != Code::kNodeOrder; };
  const Findings left =
      findings.filtered([&](const Finding& each) { return not_order(each.code); }, not_order);
  REQUIRE(left.all().size() == 2);
  CHECK(left.all()[0].message == "1");
  CHECK(left.all()[1].message == "5");
  CHECK(left.suppressed() == 1);
}

}  // namespace onnx_shapes
