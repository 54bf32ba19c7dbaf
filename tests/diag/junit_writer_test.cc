// The JUnit report. That it is well-formed XML is asked in tests/oracle, where there is a parser.
#include "diag/junit_writer.h"

#include "tests/support/catch.h"

namespace onnx_shapes {
namespace {

using Catch::Matchers::ContainsSubstring;

Findings findings_of(std::initializer_list<Code> codes) {
  Findings findings;
  for (const Code code : codes) {
    Place place;
    place.file = "a.onnx";
    findings.add(make_finding(code, place, "message"));
  }
  return findings;
}

std::string report(const Findings& findings, Severity fail_on = Severity::kError,
                   bool may_fail = true) {
  const FileFindings files[] = {
      {.file = "a.onnx", .findings = findings, .fail_on = fail_on, .may_fail = may_fail}};
  return to_junit(files);
}

}  // namespace

TEST_CASE("A file without findings is a test that passes") {
  CHECK(report(Findings()) ==
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites name=\"onnx-shapes\" tests=\"1\" failures=\"0\" errors=\"0\">\n"
        "  <testsuite name=\"a.onnx\" tests=\"1\" failures=\"0\" errors=\"0\">\n"
        "    <testcase classname=\"a.onnx\" name=\"no findings\"/>\n"
        "  </testsuite>\n"
        "</testsuites>\n");
}

TEST_CASE("What fails is a failure, what was not checked an error, the rest passes") {
  const Findings findings =
      findings_of({Code::kDimContradiction, Code::kNodeOrder, Code::kUnknownRank});
  CHECK_THAT(report(findings), ContainsSubstring("tests=\"3\" failures=\"1\" errors=\"0\""));
  CHECK_THAT(report(findings, Severity::kWarning), ContainsSubstring("failures=\"2\""));
  CHECK_THAT(report(findings, Severity::kNote), ContainsSubstring("failures=\"3\""));
  CHECK_THAT(report(findings, Severity::kError, false), ContainsSubstring("failures=\"0\""));
  const Findings unread = findings_of({Code::kFileUnreadable});
  CHECK_THAT(report(unread, Severity::kError, false),
             ContainsSubstring("failures=\"0\" errors=\"1\""));
  CHECK_THAT(report(unread), ContainsSubstring("<error type=\"SHP001\" message=\"message\">"));
}

TEST_CASE("Counts are those of each file and of all") {
  const Findings bad = findings_of({Code::kDimContradiction, Code::kRankContradiction});
  const Findings unread = findings_of({Code::kNotAModel});
  const FileFindings files[] = {{.file = "a.onnx", .findings = bad},
                                {.file = "b.onnx", .findings = unread}};
  const std::string text = to_junit(files);
  CHECK_THAT(text, ContainsSubstring("<testsuites name=\"onnx-shapes\" tests=\"3\" failures=\"2\" "
                                     "errors=\"1\">"));
  CHECK_THAT(text, ContainsSubstring("<testsuite name=\"a.onnx\" tests=\"2\" failures=\"2\" "
                                     "errors=\"0\">"));
}

TEST_CASE("Text is escaped as XML 1.0 asks") {
  Findings findings;
  Place place;
  place.file = "a.onnx";
  place.value = "<&\">\x01\xef\xbf\xbe";
  findings.add(make_finding(Code::kDimContradiction, place, "a < b\n& \"c\""));
  const std::string text = report(findings);
  CHECK_THAT(text, ContainsSubstring("name=\"SHP203 dim-contradiction: "
                                     "&lt;&amp;&quot;&gt;\\x01\\ufffe\""));
  CHECK_THAT(text, ContainsSubstring("message=\"a &lt; b&#10;&amp; &quot;c&quot;\""));
}

}  // namespace onnx_shapes
