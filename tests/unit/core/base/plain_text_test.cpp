#include "core/base/plain_text.h"

#include <gtest/gtest.h>

namespace tunehub::core {
namespace {

TEST(PlainText, LeavesTextAsItIs) {
  for (const std::string text :
       {"", "a b~", "Grüße, \xE2\x80\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80", "\xC2\xA0"}) {
    EXPECT_EQ(PlainText(text), text);
  }
  EXPECT_EQ(PlainText("a\n\tb", "\n\t"), "a\n\tb");
}

TEST(PlainText, ShowsWhatATerminalWouldObey) {
  const std::string mark = "\xEF\xBF\xBD";
  for (const std::string text :
       {"\n", "\x1B", "\x7F", "\xC2\x9B", "\xE2\x80\xAE", "\xE2\x81\xA6", "\xFF", "\x9B",
        "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80"}) {
    EXPECT_EQ(PlainText("a" + text + "b"), "a" + mark + "b");
    EXPECT_EQ(PlainText(text), mark);
  }
  EXPECT_EQ(PlainText("a\xE2\x82"), "a" + mark);
  EXPECT_EQ(PlainText(std::string(1, '\0')), mark);
}

}  // namespace
}  // namespace tunehub::core
