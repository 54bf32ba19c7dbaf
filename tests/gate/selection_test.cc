// --select and --ignore.
#include "gate/selection.h"

#include "tests/support/catch.h"

namespace onnx_shapes {
namespace {

using Texts = std::vector<std::string>;

bool selects(const Texts& select, const Texts& ignore, Code code) {
  const auto selection = Selection::read(select, ignore);
  REQUIRE(selection.ok());
  return selection->selects(code);
}

std::string complaint(const Texts& select, const Texts& ignore = {}) {
  const auto selection = Selection::read(select, ignore);
  return selection ? std::string() : selection.reason();
}

}  // namespace

TEST_CASE("The longer of two texts that fit decides") {
  constexpr Code kDim = Code::kDimContradiction;    // SHP203
  constexpr Code kRank = Code::kRankContradiction;  // SHP201
  CHECK(selects({}, {}, kDim));
  CHECK(selects({"SHP203"}, {}, kDim));
  CHECK(!selects({"SHP203"}, {}, kRank));
  CHECK(selects({"SHP2"}, {}, kRank));
  CHECK(!selects({"SHP1"}, {}, kRank));
  CHECK(!selects({}, {"SHP2"}, kRank));
  CHECK(!selects({}, {"rank-contradiction"}, kRank));
  CHECK(selects({}, {"rank-contradiction"}, kDim));
  CHECK(!selects({"SHP2"}, {"SHP203"}, kDim));
  CHECK(selects({"SHP203"}, {"SHP2"}, kDim));
  CHECK(!selects({"SHP203"}, {"SHP203"}, kDim));
  CHECK(!selects({"dim-contradiction"}, {"SHP2"}, kRank));
  CHECK(selects({"203"}, {}, kDim));
  CHECK(selects({"2"}, {}, kDim));
  CHECK(!selects({}, {"SHP"}, kDim));
}

TEST_CASE("A model that was not checked is always told") {
  for (const Code code : {Code::kFileUnreadable, Code::kNotAModel, Code::kLimitTime,
                          Code::kInternalError, Code::kInputsUnreadable, Code::kInputMissing}) {
    CHECK(selects({"SHP203"}, {}, code));
    CHECK(selects({}, {"SHP"}, code));
    CHECK(selects({}, {code_id(code)}, code));
  }
}

TEST_CASE("What --require finds needs no --select") {
  CHECK(selects({"SHP2"}, {}, Code::kRequirementUnmet));
  CHECK(!selects({"SHP2"}, {"SHP405"}, Code::kRequirementUnmet));
  CHECK(selects({"SHP405"}, {"SHP4"}, Code::kRequirementUnmet));
}

TEST_CASE("A text that fits no code is a complaint, with what was meant") {
  CHECK(complaint({"SHPX"}) ==
        "no finding has the code or name 'SHPX'; onnx-shapes rules lists them");
  CHECK(complaint({}, {"dim-contradictoin"}) ==
        "no finding has the code or name 'dim-contradictoin'; did you mean 'dim-contradiction'?");
  CHECK(!complaint({""}).empty());
  CHECK(!complaint({"S"}).empty());
  CHECK(!complaint({"shp203"}).empty());
  CHECK(!complaint({"SHP2035"}).empty());
  CHECK(complaint({"SHP203", "2", "rank-contradiction"}, {"SHP"}).empty());
}

TEST_CASE("Every code is found by its id, number and name") {
  for (const CodeInfo& info : all_codes()) {
    CHECK(find_code(code_id(info.code)) == info.code);
    CHECK(find_code(code_id(info.code).substr(3)) == info.code);
    CHECK(find_code(code_name(info.code)) == info.code);
  }
  CHECK(!find_code("SHP"));
  CHECK(!find_code(""));
}

}  // namespace onnx_shapes
