#include "agent/base/terminal.h"

#include <gmock/gmock.h>

#include <sstream>

namespace tunehub::test {
namespace {

using agent::DurationText;
using agent::Eta;
using std::chrono::seconds;

class AgentEta : public testing::Test {
 protected:
  Eta::Clock::time_point now_{};
  Eta eta_{[this] { return now_; }};
};

TEST_F(AgentEta, what_is_left_takes_as_long_as_what_is_done) {
  eta_.Done(0, 10);
  EXPECT_EQ(eta_.Left(), std::nullopt);
  EXPECT_EQ(eta_.Text(), "");
  now_ += seconds(30);
  eta_.Done(3, 10);
  EXPECT_EQ(eta_.Left(), seconds(70));
  EXPECT_EQ(eta_.Text(), ", 1 min 10 s left");
  now_ += seconds(60);
  eta_.Done(10, 10);
  EXPECT_EQ(eta_.Left(), seconds(0));
}

// A restarted tuner continues at shape 6. The earlier shapes took no time in this process.
TEST_F(AgentEta, what_was_done_before_says_nothing_of_the_rest) {
  eta_.Done(6, 10);
  now_ += seconds(20);
  eta_.Done(8, 10);
  EXPECT_EQ(eta_.Left(), seconds(20));
}

TEST_F(AgentEta, less_than_before_is_other_work) {
  eta_.Done(0, 2);
  now_ += seconds(100);
  eta_.Done(1, 2);
  EXPECT_EQ(eta_.Left(), seconds(100));
  eta_.Done(0, 4);
  EXPECT_EQ(eta_.Left(), std::nullopt);
  now_ += seconds(10);
  eta_.Done(1, 4);
  EXPECT_EQ(eta_.Left(), seconds(30));
}

TEST_F(AgentEta, the_first_moments_foretell_nothing) {
  eta_.Done(0, 1000);
  now_ += seconds(1);
  eta_.Done(10, 1000);
  EXPECT_EQ(eta_.Left(), std::nullopt);
  now_ += seconds(1000);
  eta_.Done(10.1, 1e9);
  EXPECT_EQ(eta_.Left(), std::nullopt) << "too long for an estimate";
}

TEST(AgentDuration, is_told_in_its_two_largest_units) {
  EXPECT_EQ(DurationText(seconds(0)), "0 s");
  EXPECT_EQ(DurationText(seconds(59)), "59 s");
  EXPECT_EQ(DurationText(seconds(200)), "3 min 20 s");
  EXPECT_EQ(DurationText(seconds(3600)), "1 h");
  EXPECT_EQ(DurationText(seconds(7505)), "2 h 5 min");
  EXPECT_EQ(DurationText(seconds(90'000)), "1 d 1 h");
}

TEST(PlainStream, hands_on_lines_without_what_a_terminal_would_obey) {
  std::ostringstream to;
  {
    agent::PlainStream out(to);
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
  agent::PlainStream out(to);
  to.setstate(std::ios::badbit);
  out << "a\n";
  EXPECT_FALSE(out.good());
}

TEST(AgentColumns, are_as_wide_as_their_widest_cell) {
  std::ostringstream out;
  agent::PrintColumns(out, {{"RUN", "OWNER", "ROWS"}, {"7", "Zoë", "12"}, {"1234", "a", "3"}});
  EXPECT_EQ(out.str(),
            "RUN   OWNER  ROWS\n"
            "7     Zoë    12\n"
            "1234  a      3\n");
}

TEST(AgentPlainStream, colours_errors_only_and_lets_nothing_else_through_if_it_is_quiet) {
  std::ostringstream coloured, quiet;
  agent::PlainStream terminal(coloured, true), silent(quiet);
  agent::SetNotes({.quiet = true}, silent);
  for (std::ostream* out :
       {static_cast<std::ostream*>(&terminal), static_cast<std::ostream*>(&silent)}) {
    *out << "a note\n"
         << agent::BeginError << "wrong\x1b[2J\n"
         << agent::EndError << "noted\n"
         << std::flush;
  }
  agent::SetNotes({}, silent);
  EXPECT_EQ(coloured.str(), "a note\n\x1b[31mwrong\uFFFD[2J\n\x1b[0mnoted\n");
  EXPECT_EQ(quiet.str(), "wrong\uFFFD[2J\n");
}

TEST(AgentPlainStream, a_stamped_line_begins_with_its_time) {
  std::ostringstream out;
  agent::PlainStream stream(out);
  agent::StampLines(stream);
  stream << "job 1: a8w8" << std::flush << ", 2 shapes\nnext\n" << std::flush;
  EXPECT_THAT(out.str(), testing::MatchesRegex("20[^ ]*Z job 1: a8w8, 2 shapes\n20[^ ]*Z next\n"));
}

}  // namespace
}  // namespace tunehub::test
