#include "builders/io/file/words.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace copse::test {
namespace {

TEST(ParseNumber, TakesNumbersTooSmallForTheirTypeAsZero) {
  for (const std::string& text : {std::string("1e-5000"), std::string("-1e-5000"),
                                  std::string("0.5e-99999999999999999999999"), "0." + std::string(6000, '0') + "1",
                                  "0." + std::string(6000, '0') + "1e50", std::string("123456.7e-6000")}) {
    float single = 1;
    EXPECT_EQ(detail::parse_number(text, single), std::errc{}) << text;
    EXPECT_EQ(single, 0.0f) << text;
    double wide = 1;
    EXPECT_EQ(detail::parse_number(text, wide), std::errc{}) << text;
    EXPECT_EQ(wide, 0.0) << text;
    EXPECT_EQ(parse_number<float>(text), 0.0f) << text;
  }
}

TEST(ParseNumber, RefusesNumbersTooLargeForTheirType) {
  for (const std::string& text :
       {std::string("1e39"), std::string("-1e400"), std::string("1e99999999999999999999999"),
        "1" + std::string(6000, '0'), "1" + std::string(6000, '0') + "e-50", std::string("0.0001e5000")}) {
    float single = 1;
    EXPECT_EQ(detail::parse_number(text, single), std::errc::result_out_of_range) << text;
    EXPECT_EQ(parse_number<float>(text), std::nullopt) << text;
  }
}

TEST(ParseNumber, TakesTheWholeTextOnly) {
  for (const std::string text : {"", "x", "1e", "1e-5000x", "1e5000x", "1 ", "--1"}) {
    float single = 1;
    EXPECT_EQ(detail::parse_number(text, single), std::errc::invalid_argument) << text;
    EXPECT_EQ(parse_number<float>(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_number<float>("1e-40"), 1e-40f);
}

}  // namespace
}  // namespace copse::test
