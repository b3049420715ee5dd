// Measures how often noise changes the served row, and the cost of it. Compares the winner rule
// with the lowest latest time. TUNEHUB_SIMULATED_KEYS=100000 makes tests/bench/results/winners.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "core/row/winner.h"

namespace tunehub::core {
namespace {

// Measured on an H200: a candidate's noise within a run, and how often it takes 4 to 5 % longer.
constexpr double kWithin = 0.003, kOutliers = 0.02;
constexpr int kCandidates = 12, kPushes = 10;
constexpr double kGap = 0.1;  // a candidate's mean slowdown against the best

struct Habit {
  const char* name;
  double between = 0.005;  // the noise that all candidates of a run share
  double share = 1;        // of the candidates, in each run after the first
  int owners = 1;          // runs take turns
};
constexpr Habit kHabits[] = {{"all candidates again, 0.5 % between runs"},
                             {"the same, 1 % between runs", 0.01},
                             {"a third of them again, 1 %", 0.01, 0.34},
                             {"all again, by two owners in turn, 1 %", 0.01, 1, 2}};

struct Tally {
  std::size_t pushes = 0, flips = 0, changes = 0;
  double loss = 0;

  double PerThousand(std::size_t count) const {
    return 1000.0 * static_cast<double>(count) / static_cast<double>(pushes);
  }
};

// The served candidate of a shape key, and the run of its line.
struct Served {
  std::size_t candidate = 0;
  std::int64_t run = -1;
};

class Key {
 public:
  explicit Key(std::mt19937_64& random) : random_(random), rows_(kCandidates) {
    std::exponential_distribution<double> gap(1 / kGap);
    for (int i = 0; i < kCandidates; ++i) ratios_.push_back(1 + (i == 0 ? 0 : gap(random_)));
  }

  void Push(int run, const Habit& habit) {
    std::normal_distribution<double> within(1, kWithin), between(1, habit.between);
    std::uniform_real_distribution<double> dice(0, 1);
    const double of_run = between(random_);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (run > 0 && dice(random_) >= habit.share) continue;
      double us = 100 * ratios_[i] * of_run * within(random_);
      if (dice(random_) < kOutliers) us *= 1.04 + 0.01 * dice(random_);
      Contender row;
      row.us = us;
      row.candidate.bytes[0] = static_cast<unsigned char>(i);
      row.run_time = run;
      row.owner = run % habit.owners;
      row.bounds = BoundsOf(us, true, TimeBounds{us * (1 - kWithin), us * (1 + kWithin)});
      rows_[i].push_back(row);
    }
  }

  Served ByRule() const {
    std::vector<Contender> stands;
    std::vector<std::int64_t> lines;
    for (const auto& rows : rows_) {
      const Stand stand = StandOf(rows);
      stands.push_back(stand.as);
      lines.push_back(rows[stand.line].run_time);
    }
    const std::size_t won = WinnerOf(stands).place;
    return {won, lines[won]};
  }

  // The rule without samples: the lowest of the owners' latest times.
  Served ByTime() const {
    std::vector<Contender> stands;
    for (const auto& rows : rows_) {
      auto plain = rows;
      for (Contender& it : plain) it.bounds = {};
      stands.push_back(StandOf(plain).as);
    }
    const std::size_t won = WinnerOf(stands).place;
    return {won, stands[won].run_time};
  }

  double Loss(const Served& served) const { return ratios_[served.candidate] - 1; }

 private:
  std::mt19937_64& random_;
  std::vector<double> ratios_;  // true times relative to the best
  std::vector<std::vector<Contender>> rows_;
};

void Count(const Key& key, const Served& before, const Served& now, Tally& tally) {
  ++tally.pushes;
  if (before.candidate != now.candidate) ++tally.flips;
  if (before.candidate != now.candidate || before.run != now.run) ++tally.changes;
  tally.loss += key.Loss(now);
}

void Print(const Habit& habit, const char* rule, const Tally& tally) {
  printf("| %s | %s | %.1f | %.1f | %.3f %% |\n", habit.name, rule, tally.PerThousand(tally.flips),
         tally.PerThousand(tally.changes), 100 * tally.loss / static_cast<double>(tally.pushes));
}

TEST(WinnerSimulation, noise_seldom_changes_what_is_served_and_costs_little) {
  const char* const asked = std::getenv("TUNEHUB_SIMULATED_KEYS");
  const int keys = asked == nullptr ? 2'000 : std::stoi(asked);
  printf("| runs | rule | kernels that change, of 1,000 pushes | lines | slower than the best |\n");
  for (const Habit& habit : kHabits) {
    std::mt19937_64 random(7);
    Tally by_rule, by_time;
    for (int i = 0; i < keys; ++i) {
      Key key(random);
      key.Push(0, habit);
      Served rule = key.ByRule(), time = key.ByTime();
      for (int push = 1; push < kPushes; ++push) {
        key.Push(push, habit);
        const Served next = key.ByRule(), next_time = key.ByTime();
        Count(key, rule, next, by_rule);
        Count(key, time, next_time, by_time);
        rule = next;
        time = next_time;
      }
    }
    Print(habit, "lowest time", by_time);
    Print(habit, "intervals", by_rule);
    EXPECT_LT(by_rule.flips * 4, by_time.flips) << habit.name;
    EXPECT_LT(by_rule.changes * 3, by_time.changes * 2) << habit.name;
    EXPECT_LT(by_rule.loss, 0.01 * static_cast<double>(by_rule.pushes)) << habit.name;
  }
}

}  // namespace
}  // namespace tunehub::core
