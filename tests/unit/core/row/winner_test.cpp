#include "core/row/winner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "tests/support/winner_rule.h"

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

TEST(Winner, UnmeasuredRowsAreOrderedToo) {
  ExpectBeats(Unmeasured(0), Unmeasured(1), "0 before the placeholder");
  ExpectBeats(Unmeasured(1), Unmeasured(kWinnerInfinite), "then infinity");
  ExpectBeats(Unmeasured(kWinnerInfinite), Unmeasured(kWinnerNone),
              "then no time, as null in PostgreSQL");
  ExpectBeats(Unmeasured(kWinnerNone), {Standing::kWrong, 1, 0, Hash(1), 0, Hash(1)},
              "whatever is quarantined comes last");
}

struct RowOfRun {
  Standing standing;
  std::int64_t run_time, received;
  int owner = 1;
  bool decides = false;
  unsigned char run = 1;
  double us = 1;
  int rank = 1;
};

// The place of the row that the candidate stands by; -1: none.
std::ptrdiff_t Stands(const std::vector<RowOfRun>& rows) {
  std::vector<Contender> contenders;
  for (const RowOfRun& it : rows) {
    contenders.push_back({it.standing, it.us, 0, Hash(1), it.run_time, Hash(it.run), it.owner,
                          it.rank, it.decides, it.received});
  }
  const Contender* const found = test::StandsBy(contenders);
  return found == nullptr ? -1 : found - contenders.data();
}

TEST(Winner, ACandidateStandsByItsLatestRowThatSaysSomething) {
  using enum Standing;
  const struct {
    RowOfRun stays, goes;
    const char* why;
  } kCases[] = {
      {{kMeasured, 1, 1}, {kUnmeasured, 2, 2}, "measured stays"},
      {{kMeasured, 2, 1}, {kMeasured, 1, 2}, "the later start"},
      {{kMeasured, 1, 1, 1, false, 2}, {kMeasured, 1, 2, 1, false, 1}, "the run's hash"},
      {{kWrong, 1, 2}, {kMeasured, 2, 1}, "wrong after all, whatever its host's clock says"},
      {{kMeasured, 1, 2}, {kWrong, 2, 1}, "right again"},
      {{kWrong, 1, 1}, {kUnmeasured, 2, 2}, "no time, not right"},
      {{kUnmeasured, 2, 1}, {kUnmeasured, 1, 2}, "the later"},
      {{kDeclared, 2, 1}, {kDeclared, 1, 2}, "the later choice"},
      {{kMeasured, 1, 1}, {kDeclared, 2, 2}, "no choice outdoes a time"},
      {{kWrong, 1, 1}, {kDeclared, 2, 2}, "nor makes it right"},
      {{kDeclared, 1, 1}, {kUnmeasured, 2, 2}, "a choice stays"},
  };
  for (const auto& it : kCases) {
    EXPECT_EQ(Stands({it.stays, it.goes}), 0) << it.why;
    EXPECT_EQ(Stands({it.goes, it.stays}), 1) << it.why;
  }
  for (const Standing never : {kFailed, kGarbled, kImplausible, kUnfinished}) {
    EXPECT_EQ(Stands({{never, 1, 1}}), -1);
    EXPECT_FALSE(Competes(never));
  }
  EXPECT_FALSE(Competes(kWrong));
}

TEST(Winner, AnOwnersTimeReplacesItsOwnAloneAndOfSeveralOwnersTheLowestStands) {
  using enum Standing;
  const RowOfRun first{.standing = kMeasured, .run_time = 1, .received = 1, .us = 5};
  const RowOfRun slower{.standing = kMeasured, .run_time = 2, .received = 2, .us = 9};
  const RowOfRun last{.standing = kMeasured, .run_time = 3, .received = 3, .us = 20};
  RowOfRun stranger = slower;
  stranger.owner = 2;
  EXPECT_EQ(Stands({first, slower}), 1);
  EXPECT_EQ(Stands({first, stranger}), 0) << "a stranger's slower time takes nothing away";
  EXPECT_EQ(Stands({first, stranger, last}), 1) << "each owner counts by its latest";
}

TEST(Winner, WithoutATimeUpstreamsWordIsBeforeOthersAndAnUnknownKernelLast) {
  using enum Standing;
  for (const Standing standing : {kDeclared, kUnmeasured}) {
    const RowOfRun upstream{.standing = standing, .run_time = 1, .received = 1, .rank = 0};
    const RowOfRun later{.standing = standing, .run_time = 2, .received = 2, .owner = 2};
    EXPECT_EQ(Stands({upstream, later}), 0);
    const Contender known{standing, 0, 0, Hash(2), 1, Hash(1)};
    Contender other{standing, 1, 1, Hash(1), 1, Hash(1)};
    other.rank = 0;
    ExpectBeats(other, known, "upstream's, whatever its time");
    other.rank = 2;
    ExpectBeats(known, other, "a kernel that a family knows");
  }
}

TEST(Winner, OthersWithdrawARowTogetherAndItsOwnerOrAnAdminAlone) {
  using enum Standing;
  const RowOfRun measured{kMeasured, 1, 1, 1}, declared{kDeclared, 1, 1, 1};
  const RowOfRun second{kWrong, 2, 2, 2}, third{kWrong, 2, 3, 3}, again{kWrong, 3, 4, 2};
  for (const RowOfRun& row : {measured, declared}) {
    EXPECT_EQ(Stands({row, second}), 0) << "a stranger alone";
    EXPECT_EQ(Stands({row, second, again}), 0) << "also twice";
    EXPECT_GT(Stands({row, second, third}), 0) << "two owners";
    EXPECT_GT(Stands({row, {kWrong, 2, 2, 1}}), 0) << "its own";
    EXPECT_GT(Stands({row, {kWrong, 2, 2, 2, true}}), 0) << "an admin";
  }
  EXPECT_EQ(Stands({measured, {kMeasured, 2, 3, 2}, {kWrong, 2, 4, 2}}), 0)
      << "what the owner of the wrong row measured goes, and no more";
  EXPECT_EQ(Stands({measured, second, {kMeasured, 0, 3, 4}, third}), 2)
      << "the row that was received after both";
}

TEST(Winner, AMeasurementDoesNotWinByBeingNewer) {
  Contender newer = Measured(3);
  newer.run_time = 100;
  ExpectBeats(Measured(2), newer, "a time is a time");
}

TEST(Winner, OfDeclaredRowsTheLatestRunWins) {
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

TEST(Winner, BeatsIsAStrictWeakOrder) {
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

TEST(Winner, AnyOrderOfArrivalGivesTheSameWinner) {
  std::mt19937 random(6);
  for (int round = 0; round < 500; ++round) {
    std::vector<Contender> contenders;
    // One contender per candidate: what the registry compares.
    for (unsigned char candidate = 0; candidate < 8; ++candidate) {
      contenders.push_back(RandomContender(random));
      contenders.back().candidate = Hash(candidate);
    }
    const Hash128 winner = std::ranges::min_element(contenders, Beats)->candidate;
    for (int order = 0; order < 10; ++order) {
      std::shuffle(contenders.begin(), contenders.end(), random);
      ASSERT_EQ(std::ranges::min_element(contenders, Beats)->candidate, winner);
    }
  }
}

std::string_view Why(const Contender& winner, const Contender& second) {
  return Name(test::WhyWon(winner, &second));
}

TEST(Winner, TheReasonSaysWhatDecided) {
  EXPECT_EQ(Name(test::WhyWon(Measured(1), nullptr)), "only_candidate");
  EXPECT_EQ(Name(test::WhyWon(Declared(1), nullptr)), "only_candidate");
  EXPECT_EQ(Name(test::WhyWon(Unmeasured(0), nullptr)), "nothing_measured");
  EXPECT_EQ(Why(Unmeasured(0), Unmeasured(1)), "nothing_measured");
  EXPECT_EQ(Why(Measured(9), Unmeasured(0)), "only_measured");
  EXPECT_EQ(Why(Measured(9), Declared(1)), "only_measured");
  EXPECT_EQ(Why(Declared(1), Unmeasured(0)), "latest_declared");
  EXPECT_EQ(Why(Measured(1), Measured(2)), "lowest_time");
  EXPECT_EQ(Why(Measured(1, 0.1), Measured(1, 0.2)), "lower_error");
  EXPECT_EQ(Why(Measured(1, 0.1), Measured(1, kWinnerNone)), "lower_error");
  EXPECT_EQ(Why(Measured(1, 0, 1), Measured(1, 0, 2)), "tie_break");
  EXPECT_EQ(Why(Measured(1, kWinnerNone, 1), Measured(1, kWinnerNone, 2)), "tie_break");
  EXPECT_EQ(Why(Declared(2), Declared(1)), "latest_declared");
}

}  // namespace
}  // namespace tunehub::core
