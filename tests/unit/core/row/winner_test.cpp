#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "core/row/standing.h"

namespace tunehub::core {
namespace {

constexpr double kWinnerNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kWinnerInfinite = std::numeric_limits<double>::infinity();

Hash128 Hash(unsigned char first) {
  return Hash128{{first}};
}

Contender Measured(double us, double error = 0, unsigned char candidate = 1) {
  return {Standing::kMeasured, us, error, Hash(candidate), 0, Hash(1)};
}

Contender Unmeasured(double us) {
  return {Standing::kUnmeasured, us, 0, Hash(1), 0, Hash(1)};
}

Contender Declared(std::int64_t run_time, unsigned char candidate = 1, unsigned char run = 1) {
  return {Standing::kDeclared, kWinnerNone, kWinnerNone, Hash(candidate), run_time, Hash(run)};
}

// `better` beats `worse` and not the other way round.
void ExpectBeats(const Contender& better, const Contender& worse, const char* why) {
  EXPECT_TRUE(Beats(better, worse)) << why;
  EXPECT_FALSE(Beats(worse, better)) << why;
}

TEST(Winner, TheRulesDecideOneAfterTheOther) {
  ExpectBeats(Measured(900), Unmeasured(0), "measured before unmeasured, whatever the time");
  ExpectBeats(Measured(900), Declared(100), "measured before declared, whatever the run");
  ExpectBeats(Declared(0), Unmeasured(0), "declared before unmeasured");
  ExpectBeats(Measured(1.5, 0.1, 9), Measured(2, 0, 1), "the lower time");
  ExpectBeats(Measured(2, 0.01, 9), Measured(2, 0.02, 1), "the lower error at one time");
  ExpectBeats(Measured(2, 0.9), Measured(2, kWinnerNone), "no error given sorts last");
  ExpectBeats(Measured(2, 0, 1), Measured(2, 0, 2), "the candidate's hash");
  Contender run = Measured(2);
  run.run = Hash(2);
  ExpectBeats(Measured(2), run, "the run's hash");
}

TEST(Winner, unmeasured_rows_are_ordered_too) {
  ExpectBeats(Unmeasured(0), Unmeasured(1), "0 before the placeholder");
  ExpectBeats(Unmeasured(1), Unmeasured(kWinnerInfinite), "then infinity");
  ExpectBeats(Unmeasured(kWinnerInfinite), Unmeasured(kWinnerNone),
              "then no time, as null in PostgreSQL");
  ExpectBeats(Unmeasured(kWinnerNone), {Standing::kWrong, 1, 0, Hash(1), 0, Hash(1)},
              "whatever is quarantined comes last");
}

TEST(Winner, without_a_time_upstreams_word_is_before_others_and_an_unknown_kernel_last) {
  using enum Standing;
  for (const Standing standing : {kDeclared, kUnmeasured}) {
    const Contender known{standing, 0, 0, Hash(2), 1, Hash(1)};
    Contender other{standing, 1, 1, Hash(1), 1, Hash(1)};
    other.rank = 0;
    ExpectBeats(other, known, "upstream's, whatever its time");
    other.rank = 2;
    ExpectBeats(known, other, "a kernel that a family knows");
  }
}

TEST(Winner, a_measurement_does_not_win_by_being_newer) {
  Contender newer = Measured(3);
  newer.run_time = 100;
  ExpectBeats(Measured(2), newer, "a time is a time");
}

TEST(Winner, of_declared_rows_the_latest_run_wins) {
  ExpectBeats(Declared(2, 9, 9), Declared(1, 1, 1), "the later run");
  ExpectBeats(Declared(1, 9, 1), Declared(1, 1, 2), "of one time the run's hash");
  ExpectBeats(Declared(1, 1, 1), Declared(1, 2, 1), "of one run the candidate's");
}

Contender RandomContender(std::mt19937& random) {
  const auto number = [&] {
    static const double kNumbers[] = {0, -0.0, 0.5, 1, 1, 2, kWinnerInfinite, kWinnerNone};
    return kNumbers[random() % 8];
  };
  return {static_cast<Standing>(random() % 4),
          number(),
          number(),
          Hash(static_cast<unsigned char>(random() % 3)),
          static_cast<std::int64_t>(random() % 3),
          Hash(static_cast<unsigned char>(random() % 3))};
}

TEST(Winner, beats_is_a_strict_weak_order) {
  std::mt19937 random(5);
  const auto tied = [](const Contender& a, const Contender& b) {
    return !Beats(a, b) && !Beats(b, a);
  };
  for (int round = 0; round < 100'000; ++round) {
    const Contender a = RandomContender(random), b = RandomContender(random),
                    c = RandomContender(random);
    ASSERT_FALSE(Beats(a, a));
    ASSERT_FALSE(Beats(a, b) && Beats(b, a));
    ASSERT_TRUE(!(Beats(a, b) && Beats(b, c)) || Beats(a, c));
    ASSERT_TRUE(!(tied(a, b) && tied(b, c)) || tied(a, c));
  }
}

}  // namespace
}  // namespace tunehub::core
