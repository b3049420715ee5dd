#include "core/row/winner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace tunehub::core {
namespace {

Hash128 Numbered(unsigned char first) {
  return Hash128{{first}};
}

// A sampled row of a candidate in a run, with an interval of 1 % to each side.
Contender Sampled(unsigned char candidate, double us, std::int64_t run_time = 1, int owner = 0) {
  Contender row{Standing::kMeasured, us, 0, Numbered(candidate), run_time, Numbered(1), owner};
  row.bounds = BoundsOf(us, true, TimeBounds{us, us});
  return row;
}

Contender Plain(unsigned char candidate, double us, std::int64_t run_time = 1) {
  return {Standing::kMeasured, us, 0, Numbered(candidate), run_time, Numbered(1)};
}

Contender Unsteady(unsigned char candidate, double us, std::int64_t run_time = 1) {
  Contender row = Sampled(candidate, us, run_time);
  row.bounds = BoundsOf(us, false, TimeBounds{us, us});
  return row;
}

// Returns the winner among candidates, such as "2 tied". Each candidate is a list of its rows.
std::string WinnerAmong(const std::vector<std::vector<Contender>>& candidates) {
  std::vector<Contender> stands;
  for (const auto& rows : candidates) stands.push_back(StandOf(rows).as);
  const Winning winner = WinnerOf(stands);
  return std::to_string(stands[winner.place].candidate.bytes[0]) + " " +
         std::string(Name(winner.why));
}

TEST(Winner, an_interval_has_one_to_five_percent_to_each_side) {
  const auto expect = [](const TimeBounds& bounds, double low, double high) {
    EXPECT_NEAR(bounds.low, low, 1e-9);
    EXPECT_NEAR(bounds.high, high, 1e-9);
  };
  expect(BoundsOf(100, true, TimeBounds{99.9, 100.1}), 99, 101);
  expect(BoundsOf(100, true, TimeBounds{97, 103}), 97, 103);
  expect(BoundsOf(100, true, TimeBounds{1, 1000}), 95, 105);
  expect(BoundsOf(100, true, {}), 95, 105);
  EXPECT_TRUE(std::isinf(BoundsOf(100, false, TimeBounds{99, 101}).low));
}

TEST(Winner, of_tied_candidates_the_one_that_was_sampled_first_wins) {
  EXPECT_EQ(WinnerAmong({{Sampled(1, 10, 2)}, {Sampled(2, 10.15, 1)}}), "2 tied");
  EXPECT_EQ(WinnerAmong({{Sampled(1, 10, 2)}, {Sampled(2, 10.25, 1)}}), "1 likely");
  EXPECT_EQ(WinnerAmong({{Sampled(1, 10)}, {Sampled(2, 10.15)}}), "1 tied") << "both in one run";
  EXPECT_EQ(WinnerAmong({{Sampled(2, 10.15, 1), Sampled(2, 10.16, 2)},
                         {Sampled(1, 10.2, 1), Sampled(1, 10.1, 2)}}),
            "2 tied")
      << "the first run's time decides";
  EXPECT_EQ(WinnerAmong({{Sampled(1, 10, 3)}, {Sampled(2, 10.15, 2)}, {Sampled(3, 10.3, 1)}}),
            "2 tied")
      << "the third ties only with the second";
}

TEST(Winner, is_sure_once_two_runs_agree) {
  EXPECT_EQ(WinnerAmong({{Sampled(1, 10, 1), Sampled(1, 10.05, 2)}, {Sampled(2, 12)}}), "1 sure");
  EXPECT_EQ(WinnerAmong({{Sampled(1, 9, 1), Sampled(1, 10.05, 2)}, {Sampled(2, 12)}}), "1 likely");
  EXPECT_EQ(WinnerAmong({{Sampled(1, 10)}}), "1 only_candidate");
}

TEST(Winner, samples_and_plain_times_replace_each_other_beyond_five_percent_alone) {
  EXPECT_EQ(WinnerAmong({{Plain(1, 10, 1)}, {Sampled(2, 9.5, 2)}}), "1 tied")
      << "the older row wins";
  EXPECT_EQ(WinnerAmong({{Plain(1, 10, 2)}, {Sampled(2, 10.4, 1)}}), "2 tied");
  EXPECT_EQ(WinnerAmong({{Plain(1, 10, 1)}, {Sampled(2, 9.3, 2)}}), "2 likely");
  EXPECT_EQ(WinnerAmong({{Plain(1, 9, 2)}, {Sampled(2, 10, 1)}}), "1 lowest_time");
  EXPECT_EQ(WinnerAmong({{Plain(1, 10, 1)}, {Plain(2, 9.99, 2)}}), "2 lowest_time")
      << "AITER also takes the lower time";
}

TEST(Winner, a_time_at_other_clocks_wins_only_if_there_is_no_other) {
  EXPECT_TRUE(Beats(Plain(2, 10), Unsteady(1, 5)));
  EXPECT_EQ(WinnerAmong({{Unsteady(1, 5)}, {Plain(2, 10)}}), "2 lowest_time");
  EXPECT_EQ(WinnerAmong({{Unsteady(1, 5)}, {Sampled(2, 10)}}), "2 likely");
  EXPECT_EQ(WinnerAmong({{Unsteady(1, 5)}, {Unsteady(2, 4.99)}}), "2 lowest_time");
  EXPECT_EQ(WinnerAmong({{Sampled(1, 10, 1), Unsteady(1, 5, 2)}, {Sampled(2, 9, 1)}}), "2 likely")
      << "the candidate keeps its steady time";
}

TEST(Winner, the_line_of_the_oldest_run_that_agrees_is_served) {
  const auto line = [](const std::vector<Contender>& rows) { return StandOf(rows).line; };
  EXPECT_EQ(line({Sampled(1, 10, 1), Sampled(1, 10.05, 2)}), 0U);
  EXPECT_EQ(line({Sampled(1, 11, 1), Sampled(1, 10, 2), Sampled(1, 10.05, 3)}), 1U);
  EXPECT_EQ(line({Plain(1, 10, 1), Plain(1, 10, 2)}), 1U) << "without samples, the latest run";
  EXPECT_EQ(line({Sampled(1, 10, 2, 0), Sampled(1, 10.05, 1, 1)}), 1U)
      << "the oldest run of any owner";
  EXPECT_EQ(StandOf(std::vector{Sampled(1, 10, 1, 0), Sampled(1, 12, 2, 1)}).as.us, 10)
      << "another owner's slower time changes nothing";
  EXPECT_EQ(StandOf(std::vector{Sampled(1, 10, 1), Sampled(1, 12, 2)}).as.us, 12);
}

}  // namespace
}  // namespace tunehub::core
