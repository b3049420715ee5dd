#include "core/base/pin.h"

#include <gtest/gtest.h>

namespace tunehub::core {
namespace {

const std::string kToken = "0f3a5c2e9b7d4186a1c0e8f2d4b69753";

TEST(Pins, are_read_as_they_are_written) {
  for (const Pin& pin : {Pin{0, kToken}, Pin{81, kToken}, Pin{81, ""}, Pin{INT64_MAX, kToken}}) {
    EXPECT_EQ(ParsePin(pin.Text()), pin) << pin.Text();
  }
  EXPECT_EQ((Pin{81, kToken}).Text(), "81-" + kToken);
  EXPECT_EQ((Pin{81, ""}).Text(), "81");
}

TEST(Pins, are_nothing_else) {
  for (const std::string text :
       {"", "-", "-0", "-1", "+1", " 1", "1 ", "1x", "1-", "1-0f3a", "99999999999999999999"}) {
    EXPECT_EQ(ParsePin(text), std::nullopt) << text;
  }
  EXPECT_EQ(ParsePin("-" + kToken), std::nullopt);
  EXPECT_EQ(ParsePin("-1-" + kToken), std::nullopt);
  EXPECT_EQ(ParsePin("-0-" + kToken), std::nullopt);
  EXPECT_EQ(ParsePin("1-" + kToken + "0"), std::nullopt);
  EXPECT_EQ(ParsePin("1-" + kToken.substr(1)), std::nullopt);
  EXPECT_EQ(ParsePin("1-0F" + kToken.substr(2)), std::nullopt) << "one pin has one text";
  EXPECT_EQ(ParsePin("1-" + kToken.substr(1) + "g"), std::nullopt);
}

}  // namespace
}  // namespace tunehub::core
