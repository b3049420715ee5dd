// The winner rule: which candidate of a shape key and provider is served, and by which of its rows.
// It does not depend on the order of arrival. server/ingest/sql states it in SQL, and tests compare
// the two.
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

// Where a row's true time lies, by its samples. NaN: it has none. Infinite: its clocks were not
// steady, so the time tells nothing about other candidates.
struct TimeBounds {
  double low = kNoTime, high = kNoTime;
};

// Two runs of one device differ by this share; a wider interval would let a slow row tie with any.
inline constexpr double kRunSpread = 0.01, kMostSpread = 0.05;

// `sampled`: the 95 % interval of the samples' median; nullopt: too few of them.
TimeBounds BoundsOf(double us, bool is_steady, const std::optional<TimeBounds>& sampled);

// How a measured time decides.
enum class Grade : std::uint8_t {
  kSampled = 0,    // by its interval
  kUnsampled = 1,  // as in AITER's merge
  kUnsteady = 2,   // among such times alone
};

// One row of a candidate, with its run; or a candidate by the rows that count.
struct Contender {
  Standing standing = Standing::kMeasured;
  double us = 0;     // NaN sorts last
  double error = 0;  // NaN sorts last
  Hash128 candidate;
  std::int64_t run_time = 0;  // microseconds since 1970
  Hash128 run;
  int owner = 0;              // any number, one for each owner
  int rank = 1;               // 0: upstream's or an admin's, 1: others', 2: of an unknown kernel
  bool decides = false;       // an admin's row, not an import's: counts if wrong
  std::int64_t received = 0;  // in the order of receipt
  TimeBounds bounds = {};
  // Of a sampled candidate, set by StandOf: its oldest sampled run, and the time in that run.
  std::int64_t since_time = 0;
  Hash128 since_run = {};
  double since_us = 0;
  bool agreed = false;  // the intervals of two runs hold its time
};

Grade GradeOf(const Contender& contender);

// True if the candidate `a` is faster than `b`. A strict weak order (hashes, because the database
// stores no candidate's text):
//   standing: measured, declared, unmeasured; unless measured: the lower rank
//   declared: the latest run, the run's hash, the candidate's hash
//   else: clocks were steady, the lower time, the lower error, the candidate's hash, the run's hash
bool Beats(const Contender& a, const Contender& b);

struct Stand {
  Contender as;          // the row by which the candidate competes
  std::size_t line = 0;  // of the row that is served if the candidate wins
};

// A candidate, by its rows that count. Of each owner the latest run counts, of these measured times
// the lowest. Served is the oldest row whose interval holds that time, so that a repetition changes
// no byte. Precondition: not empty, no standing above wrong.
Stand StandOf(std::span<const Contender> rows);

// Why a row is served for its shape key. The values are stored.
enum class WinReason : std::uint8_t {
  kOnlyCandidate = 0,
  kLowestTime = 1,
  kLowerError = 2,       // at an equal time
  kTieBreak = 3,         // equal time and error: the candidate's hash decides
  kOnlyMeasured = 4,     // other candidates have no credible time
  kNothingMeasured = 5,  // no candidate has a credible time: the kernel choice is served
  kLatestDeclared = 6,
  kTied = 7,    // another candidate may be as fast: the older one is served
  kLikely = 8,  // faster than all others beyond its interval, in one run
  kSure = 9,    // the same, and two runs agree on its time
};

std::string_view Name(WinReason reason);

struct Winning {
  std::size_t place = 0;  // among the candidates
  WinReason why = WinReason::kOnlyCandidate;
};

// The candidate that is served. Of the sampled candidates those are tied whose interval overlaps
// that of the fastest; the one that was sampled first wins, then its time in that run. Against the
// best unsampled candidate, whose time is good for 5 %, it wins by its time if the intervals do not
// overlap, else by its age. Precondition: not empty, all compete.
Winning WinnerOf(std::span<const Contender> candidates);

}  // namespace tunehub::core
