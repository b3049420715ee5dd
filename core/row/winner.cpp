#include "core/row/winner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace tunehub::core {
namespace {

constexpr int kWrongWeight = 3;

double Last(double value) {
  return std::isnan(value) ? std::numeric_limits<double>::infinity() : value;
}

// Postgres sorts a null behind infinity; so does this.
int Compare(double a, double b) {
  if (std::isnan(a) != std::isnan(b)) return std::isnan(a) ? 1 : -1;
  if (Last(a) != Last(b)) return Last(a) < Last(b) ? -1 : 1;
  return 0;
}

// How much a row says of its candidate: that it was run, that somebody chose it, neither, and last
// that it is wrong.
int Weight(Standing standing) {
  return standing <= Standing::kUnmeasured ? static_cast<int>(standing) : kWrongWeight;
}

// Its owner measured the candidate right since.
bool IsTakenBack(const Contender& wrong, std::span<const Contender> rows) {
  return std::ranges::any_of(rows, [&](const Contender& it) {
    return it.owner == wrong.owner && it.standing == Standing::kMeasured &&
           it.received > wrong.received;
  });
}

bool IsWithdrawn(const Contender& row, std::span<const Contender> rows) {
  std::set<int> owners;
  for (const Contender& it : rows) {
    if (it.standing != Standing::kWrong) continue;
    if (row.standing == Standing::kMeasured && it.received <= row.received) continue;
    if (it.owner == row.owner) return true;
    if (IsTakenBack(it, rows)) continue;
    if (it.decides) return true;
    owners.insert(it.owner);
  }
  return owners.size() > 1;
}

bool IsLater(const Contender& a, const Contender& b) {
  return a.run_time != b.run_time ? a.run_time > b.run_time : b.run < a.run;
}

bool StandsBefore(const Contender& a, const Contender& b) {
  if (Weight(a.standing) != Weight(b.standing)) return Weight(a.standing) < Weight(b.standing);
  if (a.standing == Standing::kMeasured) {
    if (const int us = Compare(a.us, b.us); us != 0) return us < 0;
    if (const int error = Compare(a.error, b.error); error != 0) return error < 0;
  }
  if (a.rank != b.rank) return a.rank < b.rank;
  return IsLater(a, b);
}

}  // namespace

const Contender* StandsBy(std::span<const Contender> rows) {
  std::map<std::pair<int, int>, const Contender*> latest;  // by owner and weight
  for (const Contender& it : rows) {
    if (it.standing > Standing::kWrong) continue;
    if (it.standing != Standing::kWrong && IsWithdrawn(it, rows)) continue;
    const Contender*& word = latest[{it.owner, Weight(it.standing)}];
    if (word == nullptr || IsLater(it, *word)) word = &it;
  }
  const Contender* stands = nullptr;
  for (const auto& [owner, word] : latest) {
    if (stands == nullptr || StandsBefore(*word, *stands)) stands = word;
  }
  return stands;
}

bool Beats(const Contender& a, const Contender& b) {
  if (a.standing != b.standing) return a.standing < b.standing;
  if (a.standing != Standing::kMeasured && a.rank != b.rank) return a.rank < b.rank;
  if (a.standing == Standing::kDeclared) {
    if (a.run_time != b.run_time) return a.run_time > b.run_time;
    if (a.run != b.run) return a.run < b.run;
    return a.candidate < b.candidate;
  }
  if (const int us = Compare(a.us, b.us); us != 0) return us < 0;
  if (const int error = Compare(a.error, b.error); error != 0) return error < 0;
  if (a.candidate != b.candidate) return a.candidate < b.candidate;
  return a.run < b.run;
}

WinReason WhyWon(const Contender& winner, const Contender* second) {
  if (winner.standing == Standing::kUnmeasured) return WinReason::kNothingMeasured;
  if (second == nullptr) return WinReason::kOnlyCandidate;
  if (winner.standing == Standing::kDeclared) return WinReason::kLatestDeclared;
  if (second->standing != Standing::kMeasured) return WinReason::kOnlyMeasured;
  if (Compare(winner.us, second->us) != 0) return WinReason::kLowestTime;
  if (Compare(winner.error, second->error) != 0) return WinReason::kLowerError;
  return WinReason::kTieBreak;
}

std::string_view Name(WinReason reason) {
  switch (reason) {
    case WinReason::kOnlyCandidate:
      return "only_candidate";
    case WinReason::kLowestTime:
      return "lowest_time";
    case WinReason::kLowerError:
      return "lower_error";
    case WinReason::kTieBreak:
      return "tie_break";
    case WinReason::kOnlyMeasured:
      return "only_measured";
    case WinReason::kNothingMeasured:
      return "nothing_measured";
    case WinReason::kLatestDeclared:
      return "latest_declared";
  }
  return "unknown";
}

}  // namespace tunehub::core
