// The winner rule decides which candidate the hub serves for a shape key and provider, and which
// row of this candidate. Among rows that count, the order of arrival does not matter.
// server/ingest/sql contains the same rule in SQL; tests compare the two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "core/base/hash.h"
#include "core/row/standing.h"

namespace tunehub::core {

inline constexpr double kNoTime = std::numeric_limits<double>::quiet_NaN();

// The interval that contains a row's true time, according to the row's samples. NaN: there is no
// interval. Infinite: the clocks were not steady, so no comparison with other candidates is valid.
struct TimeBounds {
  double low = kNoTime, high = kNoTime;
};

// The least and the largest half width of an interval, as a share of the time. Two runs on one
// device differ by kRunSpread. A wider interval than kMostSpread would let a slow row tie with any
// row.
inline constexpr double kRunSpread = 0.01, kMostSpread = 0.05;

// `sampled`: the 95 % confidence interval of the samples' median. If it is nullopt (too few
// samples), the result is `us` +-kMostSpread.
TimeBounds BoundsOf(double us, bool is_steady, const std::optional<TimeBounds>& sampled);

// How a measured time competes with other times.
enum class Grade : std::uint8_t {
  kSampled = 0,    // its interval decides
  kUnsampled = 1,  // among unsampled times the lower one wins, as in AITER's merge
  kUnsteady = 2,   // it competes only with unsteady times
};

// One row of a candidate with its run, or a candidate in the form that StandOf returns.
struct Contender {
  Standing standing = Standing::kMeasured;
  double us = 0;     // NaN sorts last
  double error = 0;  // NaN sorts last
  Hash128 candidate;
  std::int64_t run_time = 0;  // microseconds since 1970
  Hash128 run;
  int owner = 0;  // any number, one for each owner
  int rank = 1;   // 0: from upstream or an admin, 1: from others, 2: an unknown kernel
  // an admin's row outside imports; if it is wrong, it excludes the candidate
  bool decides = false;
  std::int64_t received = 0;  // sequence number of receipt
  TimeBounds bounds = {};
  // StandOf sets these for a sampled candidate: the candidate's oldest sampled run, and the time in
  // that run.
  std::int64_t since_time = 0;
  Hash128 since_run = {};
  double since_us = 0;
  bool agreed = false;  // true: the intervals of two runs contain the candidate's time
};

Grade GradeOf(const Contender& contender);

// True if the candidate `a` wins against `b`. This is a strict weak order. Candidates sort by these
// criteria, in which a hash replaces a text, because the database stores no candidate's text:
// 1. standing: measured, declared, unmeasured; for the last two, then the lower rank
// 2. if declared: the latest run, the run's hash, the candidate's hash
// 3. otherwise: steady clocks first, the lower time, the lower error, the candidate's hash, the
//    run's hash
bool Beats(const Contender& a, const Contender& b);

struct Stand {
  Contender as;          // the row by which the candidate competes
  std::size_t line = 0;  // index of the row that the hub serves if the candidate wins
};

// Combines a candidate's rows. Only each owner's latest run counts. The lowest measured time of
// these runs is the candidate's time. The hub serves the oldest row whose interval contains that
// time. So a repetition of a measurement does not change the served bytes. Precondition: `rows` is
// not empty, and no standing is above wrong.
Stand StandOf(std::span<const Contender> rows);

// Why the hub serves a row for its shape key. The database stores these values.
enum class WinReason : std::uint8_t {
  kOnlyCandidate = 0,
  kLowestTime = 1,
  kLowerError = 2,       // at an equal time
  kTieBreak = 3,         // equal time and error: the candidate's hash decides
  kOnlyMeasured = 4,     // other candidates have no credible time
  kNothingMeasured = 5,  // no candidate has a credible time
  kLatestDeclared = 6,
  kTied = 7,    // another candidate may be as fast; the older candidate wins
  kLikely = 8,  // its interval is below all other intervals, in one run
  kSure = 9,    // like kLikely, and two runs agree on the time
};

std::string_view Name(WinReason reason);

struct Winning {
  std::size_t place = 0;  // among the candidates
  WinReason why = WinReason::kOnlyCandidate;
};

// Returns the winning candidate. Precondition: not empty, and all candidates compete.
// 1. Sampled candidates tie if their intervals overlap the interval of the fastest. Among tied
//    candidates, the candidate with the oldest sampled run wins, then the lower time in that run.
// 2. Then that candidate competes with the best unsampled candidate, whose time gets an interval of
//    +-5 %. If the intervals do not overlap, the lower time wins; otherwise the older candidate
//    wins.
Winning WinnerOf(std::span<const Contender> candidates);

}  // namespace tunehub::core
