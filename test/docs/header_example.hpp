// Helpers for the tests that example.awk makes from the examples of headers.
#pragma once

#include <gtest/gtest.h>
#include <source_location>
#include <type_traits>

namespace weft_test {

// Checks that the value equals the one in the example, which may be in braces.
template <class Value>
void expect(const Value& value, const std::type_identity_t<Value>& expected,
            std::source_location where = std::source_location::current()) {
  if (!(value == expected))
    ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line()))
        << testing::PrintToString(value) << ", not " << testing::PrintToString(expected);
}

} // namespace weft_test
