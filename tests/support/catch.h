// Includes Catch2, version 2 or 3, under the names that both can have.
#pragma once

#if __has_include(<catch2/catch_test_macros.hpp>)

#include <catch2/catch_approx.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/catch_tostring.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_adapters.hpp>
#include <catch2/generators/catch_generators_random.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <catch2/matchers/catch_matchers_vector.hpp>

using Catch::Approx;

#else

#include <catch2/catch.hpp>
#include <string>

namespace Catch::Matchers {

/// Version 3's name for the matcher that version 2 calls Contains.
// NOLINTNEXTLINE(readability-identifier-naming)
inline StdString::ContainsMatcher ContainsSubstring(
    const std::string& text, CaseSensitive::Choice sensitivity = CaseSensitive::Yes) {
  return Contains(text, sensitivity);
}

}  // namespace Catch::Matchers

#endif
