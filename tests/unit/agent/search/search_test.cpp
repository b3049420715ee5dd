// Both phases of a search, on a device whose kernels take fixed times.
#include <gmock/gmock.h>

#include "agent/search/hub_tables.h"
#include "agent/search/session.h"
#include "tests/support/result.h"
#include "tests/unit/agent/search/tuning_support.h"

namespace tunehub::agent {
namespace {

using test::FakeDevice;
using test::Kernel;
using test::Shape;

class TuningSearch : public testing::Test {
 protected:
  ShapeResult Run(const Hints& hints = {}, const std::vector<Measurement>& known = {}) {
    const auto offer = device_.Prepare("a8w8", Shape(16));
    Search search(device_, options_, [&](const Measurement& it) -> core::Status {
      screened_.push_back(it);
      return core::Ok();
    });
    return Must(search.Run(*offer, hints, known));
  }
  static std::string WinnerOf(const ShapeResult& result) {
    return result.winner ? result.measurements[*result.winner].candidate.at("kernelName") : "";
  }

  FakeDevice device_;
  SearchOptions options_;
  std::vector<Measurement> screened_;
};

TEST_F(TuningSearch, the_fastest_correct_candidate_wins_and_has_all_its_rounds) {
  device_.kernels = {{Kernel("slow"), 90}, {Kernel("fast"), 30}, {Kernel("middle"), 50}};
  const auto result = Run();
  EXPECT_EQ(WinnerOf(result), "fast");
  EXPECT_EQ(result.measurements[1].samples.size(), 20U);
  EXPECT_EQ(result.offered, 3U);
  EXPECT_EQ(result.fallback, 0U);
  EXPECT_EQ(screened_.size(), 3U);
}

TEST_F(TuningSearch, a_wrong_candidate_is_never_timed_and_never_wins) {
  device_.kernels = {
      {Kernel("right"), 90}, {Kernel("wrong"), 1, 0.051}, {Kernel("off"), 1, 0, "x"}};
  const auto result = Run();
  EXPECT_EQ(WinnerOf(result), "right");
  EXPECT_EQ(device_.samples.count(1), 0U);
  EXPECT_EQ(device_.samples.count(2), 0U);
  EXPECT_EQ(result.measurements[1].outcome, Outcome::kWrong);
  EXPECT_THAT(result.measurements[1].reason, testing::HasSubstr("0.05"));
}

TEST_F(TuningSearch, a_candidate_that_crashes_is_lost_alone) {
  device_.kernels = {{Kernel("a"), 90}, {Kernel("crashes"), 1}, {Kernel("b"), 40}};
  device_.on_verify = [](std::size_t candidate) {
    return candidate == 1 ? core::Error{kCandidateFailed, "the worker ended with signal 11"}
                          : core::Error{};
  };
  const auto result = Run();
  EXPECT_EQ(WinnerOf(result), "b");
  EXPECT_EQ(result.measurements[1].outcome, Outcome::kBroken);
  EXPECT_EQ(result.measurements[1].reason, "the worker ended with signal 11");
}

TEST_F(TuningSearch, a_candidate_that_crashes_only_in_the_second_phase_does_not_win) {
  device_.kernels = {{Kernel("a"), 90}, {Kernel("late"), 80}};
  device_.on_sample = [this](std::size_t candidate) {
    return candidate == 1 && device_.samples[1] > 6 ? core::Error{kCandidateFailed, "signal 11"}
                                                    : core::Error{};
  };
  EXPECT_EQ(WinnerOf(Run()), "a");
}

TEST_F(TuningSearch, what_is_far_from_the_best_is_abandoned_after_its_first_sample) {
  device_.kernels = {{Kernel("best"), 100}, {Kernel("far"), 160}, {Kernel("hopeless"), 1000}};
  const auto result = Run();
  EXPECT_EQ(result.measurements[1].outcome, Outcome::kAbandoned);
  EXPECT_EQ(device_.samples[1], 2) << "a first call and a sample";
  EXPECT_EQ(device_.samples[2], 2) << "two first calls are enough";
  EXPECT_EQ(result.measurements[2].samples.size(), 1U) << "its sample is still evidence";
}

// On an H200, the first call of the fastest of 17 kernels took 21 us. The launch took 14 us of
// that.
TEST_F(TuningSearch, a_short_first_call_is_no_reason_to_abandon) {
  device_.kernels = {{Kernel("default"), 7.6}, {Kernel("best"), 7.2}, {Kernel("far"), 20}};
  device_.overhead_us = 14;
  const auto result = Run();
  EXPECT_EQ(WinnerOf(result), "best");
  EXPECT_EQ(result.measurements[2].outcome, Outcome::kAbandoned)
      << "the search abandons it after a whole sample";
  EXPECT_EQ(device_.samples[2], 2);
}

// On an H100, the best candidate of a shape takes 8.5 us, but its first call took 113 us.
TEST_F(TuningSearch, a_first_call_that_loads_code_does_not_lose_the_best) {
  device_.kernels = {{Kernel("default"), 10}, {Kernel("best"), 8.5}};
  device_.on_sample = [&](std::size_t candidate) {
    device_.overhead_us = candidate == 1 && device_.samples[1] == 0 ? 105 : 0;
    return core::Error{};
  };
  const auto result = Run();
  EXPECT_EQ(WinnerOf(result), "best");
  EXPECT_EQ(result.measurements[1].outcome, Outcome::kOk);
}

TEST_F(TuningSearch, the_untuned_choice_is_measured_however_slow_it_is) {
  device_.kernels = {{Kernel("best"), 10}, {Kernel("default"), 1000}};
  device_.fallback = 1;
  const auto result = Run();
  EXPECT_EQ(result.measurements[*result.fallback].outcome, Outcome::kOk);
}

TEST_F(TuningSearch, on_a_gpu_the_finalists_and_the_untuned_choice_are_timed_hot_and_cold) {
  device_.on_gpu = true;
  device_.kernels = {{Kernel("default"), 90}, {Kernel("a"), 30}, {Kernel("b"), 31},
                     {Kernel("c"), 32},       {Kernel("d"), 44}, {Kernel("off"), 1, 0.9},
                     {Kernel("wild"), 29}};
  device_.on_sample = [&](std::size_t i) {  // finalist 6 crashes in its hot and cold samples
    const bool late = i == 6 && !device_.in_cache.empty();
    return late ? core::Error{kCandidateFailed, "worker_crashed: signal 11"} : core::Error{};
  };
  const auto result = Run();
  EXPECT_EQ(WinnerOf(result), "a") << "the fastest candidate crashed in its cold samples";
  const auto times = [&](std::size_t i) {
    return std::pair(result.measurements[i].us_hot, result.measurements[i].us_cold);
  };
  EXPECT_EQ(times(0), std::pair(45.0, 180.0)) << "the default";
  EXPECT_EQ(times(1), std::pair(15.0, 60.0));
  EXPECT_EQ(times(4), std::pair(0.0, 0.0)) << "this candidate is no finalist";
  EXPECT_EQ(result.measurements[6].outcome, Outcome::kBroken);
  EXPECT_EQ(times(6), std::pair(0.0, 0.0));
}

TEST_F(TuningSearch, on_a_cpu_nobody_asks_for_times_hot_and_cold) {
  device_.kernels = {{Kernel("a"), 30}};
  Run();
  EXPECT_TRUE(device_.in_cache.empty());
}

TEST_F(TuningSearch, nothing_correct_means_no_winner) {
  device_.kernels = {{Kernel("a"), 1, 0.9}, {Kernel("b"), 1, 0.8}};
  EXPECT_FALSE(Run().winner);
}

TEST_F(TuningSearch, what_was_screened_before_a_kill_is_not_screened_again) {
  device_.kernels = {{Kernel("a"), 90}, {Kernel("b"), 40}, {Kernel("c"), 60}};
  const std::vector<Measurement> known = {{Kernel("a"), Outcome::kOk, 0, {90, 90, 90}, ""},
                                          {Kernel("b"), Outcome::kOk, 0, {40, 40, 40}, ""}};
  const auto result = Run({}, known);
  EXPECT_EQ(WinnerOf(result), "b");
  EXPECT_EQ(screened_.size(), 1U);
  EXPECT_EQ(result.measurements.size(), 3U);
}

TEST_F(TuningSearch, a_clock_that_slows_down_after_screening_does_not_decide) {
  // The screening ran at twice the clock, so "sixth" seems faster than in any round.
  for (int i = 0; i < 5; ++i)
    device_.kernels.push_back({Kernel("k" + std::to_string(i)), 100.0 + i});
  device_.kernels.push_back({Kernel("sixth"), 130});
  int samples = 0;
  device_.on_sample = [&](std::size_t) {
    device_.slowdown = ++samples <= 24 ? 1 : 2;
    return core::Error{};
  };
  EXPECT_EQ(WinnerOf(Run()), "k0");
}

TEST_F(TuningSearch, a_stop_ends_between_two_candidates) {
  device_.kernels = {{Kernel("a"), 90}, {Kernel("b"), 40}, {Kernel("c"), 60}};
  options_.stop = [&] { return screened_.size() == 2; };
  const auto offer = device_.Prepare("a8w8", Shape(16));
  Search search(device_, options_, [&](const Measurement& it) -> core::Status {
    screened_.push_back(it);
    return core::Ok();
  });
  EXPECT_EQ(ErrorCode(search.Run(*offer, {}, {})), kStopped);
  EXPECT_EQ(screened_.size(), 2U);
}

TEST_F(TuningSearch, rounds_that_were_disturbed_begin_anew) {
  device_.kernels = {{Kernel("a"), 90}, {Kernel("b"), 85}};
  bool disturbed = false;
  device_.on_sample = [&](std::size_t) {
    if (disturbed || device_.samples[1] < 15) return core::Error{};
    disturbed = true;
    return core::Error{kDisturbed, "others worked beside the sample"};
  };
  const auto result = Run();
  EXPECT_TRUE(disturbed);
  EXPECT_EQ(result.measurements[*result.winner].samples.size(), 20U)
      << "all samples are undisturbed";
}

TEST_F(TuningSearch, a_round_during_which_the_clock_drifted_is_held_again) {
  // The clock halves in the middle of a round that times "b" before "a". If the round counted, "b"
  // would have one more fast sample than "a".
  device_.kernels = {{Kernel("a"), 90}, {Kernel("b"), 85}};
  options_.exhaustive = true;  // both candidates stay to the end
  device_.on_sample = [&](std::size_t candidate) {
    if (candidate == 0 && device_.samples[0] == 10) device_.slowdown = 2;
    return core::Error{};
  };
  const auto result = Run();
  const auto count = [&](std::size_t i, double us) {
    const auto& samples = result.measurements[i].samples;
    return std::count(samples.begin(), samples.end(), us);
  };
  EXPECT_EQ(count(0, 90), count(1, 85)) << "equal counts at the fast clock";
  EXPECT_EQ(count(0, 180), count(1, 170)) << "equal counts at the slow clock";
  EXPECT_EQ(count(0, 90) + count(0, 180), 20);
}

// Consecutive rounds differ by at most 2 %, but the first and last rounds differ by 25 %.
TEST_F(TuningSearch, a_clock_that_drifts_slowly_is_compared_with_the_first_round) {
  device_.kernels = {{Kernel("a"), 90}, {Kernel("b"), 85}};
  device_.on_pulse = [&] { device_.slowdown = std::min(device_.slowdown * 1.02, 1.25); };
  const auto result = Run();
  const auto& samples = result.measurements[1].samples;
  EXPECT_EQ(samples.size(), 20U);
  const auto [least, most] = std::ranges::minmax(samples);
  EXPECT_LE(most, least * 1.05) << "all samples ran at one clock";
  EXPECT_EQ(result.measurements[1].clock, "steady");
  EXPECT_NEAR(result.measurements[1].us_reference, 1250, 25)
      << "the reference comes from the same rounds";
}

TEST_F(TuningSearch, samples_at_the_power_limit_do_not_mix_with_others) {
  device_.kernels = {{Kernel("a"), 90}, {Kernel("b"), 85}};
  int pulses = 0;
  device_.on_pulse = [&] {
    device_.capped = ++pulses > 8;
    device_.slowdown = device_.capped ? 1.1 : 1;
  };
  const auto result = Run();
  const Measurement& b = result.measurements[1];
  EXPECT_EQ(b.clock, "capped");
  EXPECT_EQ(b.samples, std::vector<double>(20, 85 * 1.1));
}

TEST_F(TuningSearch, sampling_goes_on_until_the_interval_is_narrow_or_a_limit_is_reached) {
  device_.kernels = {{Kernel("a"), 90}, {Kernel("b"), 85}, {Kernel("c"), 89}};
  device_.clocks = ClockState{1980, 3201, 40, 310, 4};
  auto result = Run();
  EXPECT_EQ(result.measurements[1].ended, "interval");
  EXPECT_EQ(result.measurements[2].ended, "slower");
  EXPECT_EQ(result.measurements[2].samples.size(), 5U);
  EXPECT_EQ(result.measurements[1].clocks,
            "SM 1980 MHz, memory 3201 MHz, 310 W, 40 C, throttle 0x4");
  int samples = 0;
  device_.on_sample = [&](std::size_t) {
    device_.slowdown = ++samples / 2 % 2 == 0 ? 0.99 : 1.01;
    return core::Error{};
  };
  result = Run();
  EXPECT_EQ(result.measurements[1].ended, "limit");
  EXPECT_EQ(result.measurements[1].samples.size(), 40U);
}

TEST_F(TuningSearch, a_finalist_that_left_returns_when_the_best_becomes_slower_than_it) {
  device_.kernels = {{Kernel("a"), 90}, {Kernel("b"), 85}, {Kernel("c"), 86}};
  device_.on_sample = [&](std::size_t candidate) {
    if (candidate == 1 && device_.samples[1] > 12) device_.kernels[1].us = 95;
    return core::Error{};
  };
  const auto result = Run();
  EXPECT_EQ(WinnerOf(result), "c");
  EXPECT_EQ(result.measurements[2].samples.size(), 20U);
  EXPECT_EQ(result.measurements[2].ended, "interval");
}

TEST_F(TuningSearch, a_clock_that_never_stands_still_does_not_keep_the_tuner_for_ever) {
  device_.kernels = {{Kernel("a"), 90}, {Kernel("b"), 85}};
  device_.on_pulse = [&] { device_.slowdown *= 1.5; };
  const auto result = Run();
  EXPECT_EQ(WinnerOf(result), "b");
  EXPECT_EQ(result.measurements[1].clock, "drifting");
}

TEST_F(TuningSearch, with_hints_only_what_is_near_the_likely_is_screened) {
  // 200 candidates with two parameters. The best differs from the neighbour shape's best in one
  // parameter.
  for (int a = 0; a < 20; ++a) {
    for (int b = 0; b < 10; ++b) {
      device_.kernels.push_back({Kernel("k_" + std::to_string(a) + "x" + std::to_string(b)),
                                 100.0 + 5 * std::abs(a - 7) + 9 * std::abs(b - 4)});
    }
  }
  const auto result = Run({{Kernel("k_7x5"), Kernel("k_8x5")}, {}});
  EXPECT_EQ(WinnerOf(result), "k_7x4");
  EXPECT_LE(screened_.size(), 40U);
  options_.exhaustive = true;
  screened_.clear();
  EXPECT_EQ(WinnerOf(Run({{Kernel("k_7x5")}, {}})), "k_7x4");
  EXPECT_EQ(screened_.size(), 200U);
}

TEST_F(TuningSearch, on_a_gpu_hints_leave_nothing_out) {
  device_.on_gpu = true;
  for (int i = 0; i < 100; ++i) device_.kernels.push_back({Kernel("k" + std::to_string(i)), 10});
  device_.kernels[77].us = 9;
  const auto result = Run({{Kernel("k5"), Kernel("k6")}, {}});
  EXPECT_EQ(screened_.size(), 100U);
  EXPECT_EQ(screened_.front().candidate, Kernel("k5"));
  EXPECT_EQ(WinnerOf(result), "k77");
}

TEST_F(TuningSearch, hints_that_this_build_does_not_have_are_no_reason_to_skip_anything) {
  device_.kernels = {{Kernel("a"), 90}, {Kernel("b"), 40}, {Kernel("c"), 60}};
  Run({{Kernel("of another build")}, {}});
  EXPECT_EQ(screened_.size(), 3U);
}

Measurement Timed(const Columns& candidate, double us) {
  return {candidate, Outcome::kOk, 0, {us, us, us}, ""};
}

TEST(TuningChoose, within_one_percent_the_smaller_split_of_k_wins) {
  const std::vector<Measurement> all = {Timed(Kernel("a", 8), 100), Timed(Kernel("b", 2), 100.9),
                                        Timed(Kernel("c", 0), 101.1)};
  EXPECT_EQ(Choose(all, std::nullopt, 0.5), 1U);
}

TEST(TuningChoose, the_incumbent_stays_unless_it_is_beaten_by_the_margin) {
  const std::vector<Measurement> all = {Timed(Kernel("challenger"), 100),
                                        Timed(Kernel("incumbent"), 102)};
  EXPECT_EQ(Choose(all, Kernel("incumbent"), 3.0), 1U);
  EXPECT_EQ(Choose(all, Kernel("incumbent"), 0.5), 0U);
}

TEST(TuningNeighbours, the_nearest_shapes_give_their_best_first) {
  Neighbours neighbours;
  neighbours.Add(Shape(16), {Kernel("a"), Kernel("b")});
  neighbours.Add(Shape(32), {Kernel("c"), Kernel("b")});
  neighbours.Add(Shape(16, 1280, 512), {Kernel("far")});
  const Ranking likely = neighbours.LikelyFor(Shape(24));
  ASSERT_GE(likely.size(), 3U);
  EXPECT_THAT((Ranking{likely[0], likely[1]}),
              testing::UnorderedElementsAre(Kernel("a"), Kernel("c")));
}

TEST(TuningNeighbours, another_dtype_is_no_neighbour) {
  Neighbours neighbours;
  Columns other = Shape(16);
  other["q_dtype_w"] = "torch.float8_e4m3fn";
  neighbours.Add(other, {Kernel("a")});
  EXPECT_TRUE(neighbours.LikelyFor(Shape(16)).empty());
}

TEST(TuningNeighbours, the_registry_is_asked_for_runners_up_once) {
  Neighbours neighbours;
  int asked = 0;
  neighbours.AddWinner(Shape(16), Kernel("winner"));
  neighbours.SetFetch([&](const Columns&) {
    ++asked;
    return Ranking{Kernel("winner"), Kernel("second")};
  });
  neighbours.LikelyFor(Shape(32));
  EXPECT_THAT(neighbours.LikelyFor(Shape(8)),
              testing::ElementsAre(Kernel("winner"), Kernel("second")));
  EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace tunehub::agent
