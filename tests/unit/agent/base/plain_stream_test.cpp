// What a terminal is given of what the program prints.
#include <gtest/gtest.h>

#include <sstream>

#include "agent/base/terminal.h"

namespace tunehub::agent {
namespace {

TEST(PlainStream, hands_on_lines_without_what_a_terminal_would_obey) {
  std::ostringstream to;
  {
    PlainStream out(to);
    out << "a\tb\n\x1B[2J" << '\xE2' << '\x82' << "\xAC";
    EXPECT_EQ(to.str(), "a\tb\n");
    out << std::flush;
    EXPECT_EQ(to.str(), "a\tb\n\xEF\xBF\xBD[2J\xE2\x82\xAC");
    out << '\r' << 7;
  }
  EXPECT_EQ(to.str(),
            "a\tb\n\xEF\xBF\xBD[2J\xE2\x82\xAC\xEF\xBF\xBD"
            "7");
}

TEST(PlainStream, a_full_disk_is_noticed) {
  std::ostringstream to;
  PlainStream out(to);
  to.setstate(std::ios::badbit);
  out << "a\n";
  EXPECT_FALSE(out.good());
}

}  // namespace
}  // namespace tunehub::agent
