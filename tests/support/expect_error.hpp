// Expecting the one exception type, its code and the words of its message.
#pragma once

#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include <kith/error.hpp>

namespace kith::test {

/// Runs f, which is to throw Error with this code and a message that contains `words`.
template <class F>
void expect_error(ErrorCode code, std::string_view words, F&& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_STREQ(name(error.code()), name(code)) << error.what();
    EXPECT_NE(std::string_view(error.what()).find(words), std::string_view::npos)
        << "\"" << words << "\" is not in: " << error.what();
    return;
  } catch (const std::exception& error) {
    FAIL() << "a foreign exception instead of kith::Error: " << error.what();
  }
  FAIL() << "no error, expected " << name(code);
}

}  // namespace kith::test
