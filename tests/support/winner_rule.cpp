#include "tests/support/winner_rule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace tunehub::test {
namespace {

constexpr int kWrongWeight = 3;

double LastOf(double value) {
  return std::isnan(value) ? std::numeric_limits<double>::infinity() : value;
}

// Postgres sorts a null behind infinity; so does this.
int OrderOf(double a, double b) {
  if (std::isnan(a) != std::isnan(b)) return std::isnan(a) ? 1 : -1;
  if (LastOf(a) != LastOf(b)) return LastOf(a) < LastOf(b) ? -1 : 1;
  return 0;
}

// How much a row says of its candidate: that it was run, that somebody chose it, neither, and last
// that it is wrong.
int Weight(core::Standing standing) {
  return standing <= core::Standing::kUnmeasured ? static_cast<int>(standing) : kWrongWeight;
}

// Its owner measured the candidate right since.
bool IsTakenBack(const core::Contender& wrong, std::span<const core::Contender> rows) {
  return std::ranges::any_of(rows, [&](const core::Contender& it) {
    return it.owner == wrong.owner && it.standing == core::Standing::kMeasured &&
           it.received > wrong.received;
  });
}

bool IsWithdrawn(const core::Contender& row, std::span<const core::Contender> rows) {
  std::set<int> owners;
  for (const core::Contender& it : rows) {
    if (it.standing != core::Standing::kWrong) continue;
    if (row.standing == core::Standing::kMeasured && it.received <= row.received) continue;
    if (it.owner == row.owner) return true;
    if (IsTakenBack(it, rows)) continue;
    if (it.decides) return true;
    owners.insert(it.owner);
  }
  return owners.size() > 1;
}

bool IsLater(const core::Contender& a, const core::Contender& b) {
  return a.run_time != b.run_time ? a.run_time > b.run_time : b.run < a.run;
}

bool StandsBefore(const core::Contender& a, const core::Contender& b) {
  if (Weight(a.standing) != Weight(b.standing)) return Weight(a.standing) < Weight(b.standing);
  if (a.standing == core::Standing::kMeasured) {
    if (const int us = OrderOf(a.us, b.us); us != 0) return us < 0;
    if (const int error = OrderOf(a.error, b.error); error != 0) return error < 0;
  }
  if (a.rank != b.rank) return a.rank < b.rank;
  return IsLater(a, b);
}

}  // namespace

const core::Contender* StandsBy(std::span<const core::Contender> rows) {
  std::map<std::pair<int, int>, const core::Contender*> latest;  // by owner and weight
  for (const core::Contender& it : rows) {
    if (it.standing > core::Standing::kWrong) continue;
    if (it.standing != core::Standing::kWrong && IsWithdrawn(it, rows)) continue;
    const core::Contender*& word = latest[{it.owner, Weight(it.standing)}];
    if (word == nullptr || IsLater(it, *word)) word = &it;
  }
  const core::Contender* stands = nullptr;
  for (const auto& [owner, word] : latest) {
    if (stands == nullptr || StandsBefore(*word, *stands)) stands = word;
  }
  return stands;
}

core::WinReason WhyWon(const core::Contender& winner, const core::Contender* second) {
  if (winner.standing == core::Standing::kUnmeasured) return core::WinReason::kNothingMeasured;
  if (second == nullptr) return core::WinReason::kOnlyCandidate;
  if (winner.standing == core::Standing::kDeclared) return core::WinReason::kLatestDeclared;
  if (second->standing != core::Standing::kMeasured) return core::WinReason::kOnlyMeasured;
  if (OrderOf(winner.us, second->us) != 0) return core::WinReason::kLowestTime;
  if (OrderOf(winner.error, second->error) != 0) return core::WinReason::kLowerError;
  return core::WinReason::kTieBreak;
}

}  // namespace tunehub::test
