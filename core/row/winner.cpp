#include "core/row/winner.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace tunehub::core {
namespace {

// NaN sorts after infinity, as null does in PostgreSQL.
int CompareTimes(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return static_cast<int>(std::isnan(a)) - std::isnan(b);
  if (a != b) return a < b ? -1 : 1;
  return 0;
}

bool IsUnsteady(const Contender& it) {
  return GradeOf(it) == Grade::kUnsteady;
}

bool IsLater(const Contender& a, const Contender& b) {
  return std::tie(a.run_time, a.run) > std::tie(b.run_time, b.run);
}

bool StandsBefore(const Contender& a, const Contender& b) {
  if (a.standing != b.standing) return a.standing < b.standing;
  if (IsUnsteady(a) != IsUnsteady(b)) return IsUnsteady(b);
  if (a.standing == Standing::kMeasured) {
    if (const int us = CompareTimes(a.us, b.us); us != 0) return us < 0;
    if (const int error = CompareTimes(a.error, b.error); error != 0) return error < 0;
  }
  return a.rank != b.rank ? a.rank < b.rank : IsLater(a, b);
}

// The candidate's age. An unsampled candidate is as old as its latest run.
auto Since(const Contender& it) {
  return GradeOf(it) == Grade::kSampled ? std::pair(it.since_time, it.since_run)
                                        : std::pair(it.run_time, it.run);
}

// True if the tied candidate `a` wins over `b`.
bool IsFirst(const Contender& a, const Contender& b) {
  if (Since(a) != Since(b)) return Since(a) < Since(b);
  if (a.since_us != b.since_us) return a.since_us < b.since_us;
  if (const int error = CompareTimes(a.error, b.error); error != 0) return error < 0;
  return a.candidate < b.candidate;
}

TimeBounds ReachOf(const Contender& it) {
  if (GradeOf(it) == Grade::kSampled) return it.bounds;
  return {it.us * (1 - kMostSpread), it.us * (1 + kMostSpread)};
}

bool Overlap(const TimeBounds& a, const TimeBounds& b) {
  return a.low <= b.high && b.low <= a.high;
}

using Group = std::vector<std::size_t>;

// Says how the best unsampled or unsteady candidate beats the next candidate.
WinReason ReasonOf(const Contender& winner, const Contender* next) {
  if (next == nullptr || CompareTimes(winner.us, next->us) != 0) return WinReason::kLowestTime;
  return CompareTimes(winner.error, next->error) != 0 ? WinReason::kLowerError
                                                      : WinReason::kTieBreak;
}

// Returns the fastest candidate of one grade. If others tie with it, returns the first of them.
Winning BestOf(std::span<const Contender> all, Group places) {
  std::ranges::sort(places, [&](std::size_t a, std::size_t b) { return Beats(all[a], all[b]); });
  const Contender& fastest = all[places[0]];
  if (GradeOf(fastest) != Grade::kSampled)
    return {places[0], ReasonOf(fastest, places.size() > 1 ? &all[places[1]] : nullptr)};
  std::erase_if(places, [&](std::size_t it) { return all[it].bounds.low > fastest.bounds.high; });
  const std::size_t first = *std::ranges::min_element(
      places, [&](std::size_t a, std::size_t b) { return IsFirst(all[a], all[b]); });
  if (places.size() > 1) return {first, WinReason::kTied};
  return {first, all[first].agreed ? WinReason::kSure : WinReason::kLikely};
}

// Chooses between the best sampled and the best unsampled candidate.
Winning Between(std::span<const Contender> all, const Winning& sampled, const Winning& unsampled) {
  const Contender &a = all[sampled.place], &b = all[unsampled.place];
  if (!Overlap(ReachOf(a), ReachOf(b))) return Beats(a, b) ? sampled : unsampled;
  const bool is_first = Since(a) != Since(b) ? Since(a) < Since(b) : Beats(a, b);
  return {is_first ? sampled.place : unsampled.place, WinReason::kTied};
}

Winning WinnerByTime(std::span<const Contender> all) {
  std::map<Grade, Group> grades;
  std::size_t measured = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].standing != Standing::kMeasured) continue;
    grades[GradeOf(all[i])].push_back(i);
    ++measured;
  }
  Winning winner = BestOf(all, grades.begin()->second);
  if (grades.contains(Grade::kSampled) && grades.contains(Grade::kUnsampled))
    winner = Between(all, winner, BestOf(all, grades[Grade::kUnsampled]));
  if (measured == 1) winner.why = WinReason::kOnlyMeasured;
  if (all.size() == 1) winner.why = WinReason::kOnlyCandidate;
  return winner;
}

}  // namespace

TimeBounds BoundsOf(double us, bool is_steady, const std::optional<TimeBounds>& sampled) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!is_steady) return {-kInfinity, kInfinity};
  const TimeBounds most{us * (1 - kMostSpread), us * (1 + kMostSpread)};
  if (!sampled) return most;
  return {std::clamp(sampled->low, most.low, us * (1 - kRunSpread)),
          std::clamp(sampled->high, us * (1 + kRunSpread), most.high)};
}

Grade GradeOf(const Contender& contender) {
  if (contender.standing != Standing::kMeasured || std::isnan(contender.bounds.low))
    return Grade::kUnsampled;
  return std::isinf(contender.bounds.low) ? Grade::kUnsteady : Grade::kSampled;
}

bool Beats(const Contender& a, const Contender& b) {
  if (a.standing != b.standing) return a.standing < b.standing;
  if (a.standing != Standing::kMeasured && a.rank != b.rank) return a.rank < b.rank;
  if (a.standing == Standing::kDeclared) {
    if (a.run_time != b.run_time) return a.run_time > b.run_time;
    if (a.run != b.run) return a.run < b.run;
    return a.candidate < b.candidate;
  }
  if (IsUnsteady(a) != IsUnsteady(b)) return IsUnsteady(b);
  if (const int us = CompareTimes(a.us, b.us); us != 0) return us < 0;
  if (const int error = CompareTimes(a.error, b.error); error != 0) return error < 0;
  if (a.candidate != b.candidate) return a.candidate < b.candidate;
  return a.run < b.run;
}

Stand StandOf(std::span<const Contender> rows) {
  std::map<std::pair<Standing, int>, std::size_t> latest;  // of each owner
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto [it, is_first] = latest.emplace(std::pair(rows[i].standing, rows[i].owner), i);
    const Contender& held = rows[it->second];
    const bool is_later =
        IsUnsteady(held) != IsUnsteady(rows[i]) ? IsUnsteady(held) : IsLater(rows[i], held);
    if (!is_first && is_later) it->second = i;
  }
  std::size_t best = latest.begin()->second;
  for (const auto& [of, row] : latest) {
    if (StandsBefore(rows[row], rows[best])) best = row;
  }
  Stand stand{rows[best], best};
  if (GradeOf(stand.as) != Grade::kSampled) return stand;
  std::size_t oldest = best, holding = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (GradeOf(rows[i]) != Grade::kSampled) continue;
    if (IsLater(rows[oldest], rows[i])) oldest = i;
    if (stand.as.us < rows[i].bounds.low || stand.as.us > rows[i].bounds.high) continue;
    ++holding;
    if (IsLater(rows[stand.line], rows[i])) stand.line = i;
  }
  stand.as.since_time = rows[oldest].run_time;
  stand.as.since_run = rows[oldest].run;
  stand.as.since_us = rows[oldest].us;
  stand.as.agreed = holding > 1;
  return stand;
}

std::string_view Name(WinReason reason) {
  constexpr std::string_view kNames[] = {
      "only_candidate",   "lowest_time",     "lower_error", "tie_break", "only_measured",
      "nothing_measured", "latest_declared", "tied",        "likely",    "sure"};
  const auto i = static_cast<std::size_t>(reason);
  return i < std::size(kNames) ? kNames[i] : "unknown";
}

Winning WinnerOf(std::span<const Contender> candidates) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    if (Beats(candidates[i], candidates[best])) best = i;
  }
  switch (candidates[best].standing) {
    case Standing::kMeasured:
      return WinnerByTime(candidates);
    case Standing::kDeclared:
      return {best, candidates.size() > 1 ? WinReason::kLatestDeclared : WinReason::kOnlyCandidate};
    default:
      return {best, WinReason::kNothingMeasured};
  }
}

}  // namespace tunehub::core
