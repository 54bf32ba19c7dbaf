// What of a text reaches the terminal.
#include "diag/printable.h"

#include <string>
#include <string_view>

#include "tests/support/catch.h"

namespace onnx_shapes {

using namespace std::string_view_literals;

TEST_CASE("Text without control characters stays as it is") {
  for (const std::string_view text :
       {""sv, "plain ~ text"sv, "\xc3\xa9"sv, "\xe2\x82\xac"sv, "\xf0\x9f\x98\x80"sv, "\xc2\xa0"sv,
        "\xed\x9f\xbf"sv, "\xee\x80\x80"sv, "\xf4\x8f\xbf\xbf"sv}) {
    CHECK(printable(text) == text);
  }
}

TEST_CASE("Control characters and bytes that are no UTF-8 are escaped") {
  CHECK(printable("a\0b"sv) == "a\\x00b");
  CHECK(printable("\x1b[31m\r\t\x7f") == "\\x1b[31m\\x0d\\x09\\x7f");
  CHECK(printable("\xc2\x9b") == "\\xc2\\x9b");                    // CSI of the C1 set
  CHECK(printable("\xc0\xaf") == "\\xc0\\xaf");                    // overlong
  CHECK(printable("\xe0\x80\xaf") == "\\xe0\\x80\\xaf");           // overlong
  CHECK(printable("\xf0\x80\x80\xaf") == "\\xf0\\x80\\x80\\xaf");  // overlong
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");           // a surrogate
  CHECK(printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // past U+10FFFF
  CHECK(printable("\xff") == "\\xff");
  CHECK(printable("\xe2\x82") == "\\xe2\\x82");  // the end of a sequence is missing
  CHECK(printable("\xe2\x82z") == "\\xe2\\x82z");
}

TEST_CASE("Line breaks are kept where they are wanted") {
  CHECK(printable("a\nb") == "a\\x0ab");
  CHECK(printable("a\nb\r", LineBreaks::kKeep) == "a\nb\\x0d");
}

}  // namespace onnx_shapes
