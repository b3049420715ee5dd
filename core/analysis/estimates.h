// What a key would take tuned, and what tuning it would be worth, where nobody has measured it:
// from what was measured nearest to it. Pure.
//
// The tuned time T of a key with the roofline R (core/row/roofline.h), by the first that there is:
//   same_weights   T' * R / R'   of the tuned key with the same N and K and the nearest M
//   other_weights  T' * R / R'   of the nearest tuned key of another N or K
//   sibling        T' * q        of the same shape on another target of the gfx; q is the median
//                                of here / there over the shapes that both have tuned
//   roofline       R / s         s is the median share R' / T' of the tuned keys
// Neighbours share the target and all other columns of the key, and are at most kFarthest away:
// the root of the sum of squares of log2 of the ratios of M, N and K. Of several equally near the
// first by N, K, M. `sibling` and `roofline` need kFewestKeys keys.
//
// The default's time D is the measured one, else T * D' / T' of the nearest key of the gfx, with
// the same other columns, of which both were measured. Tuning is worth D - T.
//
// How wrong each of these is, is measured: every key that has the answer is estimated without
// itself.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/held_out.h"
#include "core/analysis/nearest_key.h"
#include "core/analysis/timed_key.h"

namespace tunehub::analysis {

inline constexpr double kFarthest = 2;  // four times as large in one dimension

enum class Basis { kSameWeights, kOtherWeights, kSibling, kRoofline };
inline constexpr std::size_t kBases = 4;
std::string_view Name(Basis basis);  // "same_weights", ...

struct TimeEstimate {
  Basis basis = Basis::kRoofline;
  double us = 0;
  const TimedKey* from = nullptr;  // null: no single key
  double factor = 1;               // R / R', q or the median share s
  std::size_t keys = 1;            // that the factor is of
};

struct WorthEstimate {
  TimeEstimate tuned;
  double default_us = 0;
  const TimedKey* ratio_of = nullptr;  // null: the default was measured
  double us = 0;                       // D - T, per call
};

class Estimates {
 public:
  Estimates() = default;
  // `keys`: all of one family and gfx that have any time. `cu_num`: the target whose keys are to be
  // estimated.
  Estimates(std::vector<TimedKey> keys, int cu_num);
  ~Estimates() = default;
  // A copy would point into the keys of another.
  Estimates(const Estimates&) = delete;
  Estimates& operator=(const Estimates&) = delete;
  Estimates(Estimates&&) = default;
  Estimates& operator=(Estimates&&) = default;

  // Of a key that need not be among the known ones; one that is, is left out of its own estimate.
  std::optional<TimeEstimate> Tuned(const TimedKey& asked) const;
  std::optional<TimeEstimate> Tuned(const TimedKey& asked, Basis basis) const;
  // Nothing without a tuned time to go by, or where no default can be told.
  std::optional<WorthEstimate> Worth(const TimedKey& asked, const TimeEstimate& tuned) const;

  // Over the tuned keys of the target; over all keys of the gfx with both times, their defaults
  // taken as measured, or estimated, too.
  const HeldOut& TunedError(Basis basis) const { return errors_[Place(basis)].tuned; }
  const HeldOut& WorthError(Basis basis, bool default_measured) const {
    const Errors& its = errors_[Place(basis)];
    return default_measured ? its.worth : its.worth_by_ratio;
  }

  const TimedKey* Find(const KeyPlace& place, int cu_num) const;  // null: nothing is known of it
  const std::vector<TimedKey>& keys() const { return keys_; }
  std::size_t with_both() const { return with_both_; }  // keys with a tuned and a default time
  bool has_defaults() const;                            // any key of the gfx has one

 private:
  using Placed = std::map<std::string_view, KeysByWeights>;  // by the other columns
  struct Target {
    Placed tuned;                // in the order of M
    std::vector<double> shares;  // sorted
  };

  struct Errors {
    HeldOut tuned, worth, worth_by_ratio;
  };
  static std::size_t Place(Basis basis) { return static_cast<std::size_t>(basis); }

  std::optional<TimeEstimate> ByNeighbour(const TimedKey& asked, bool same_weights) const;
  std::optional<TimeEstimate> BySibling(const TimedKey& asked) const;
  std::optional<TimeEstimate> ByRoofline(const TimedKey& asked) const;
  const TimedKey* NearestWithBoth(const TimedKey& asked) const;
  static const TimedKey* At(const Target& target, const KeyPlace& place);
  void Learn(int here, int there);
  Errors Judge(Basis basis, int cu_num) const;

  std::vector<TimedKey> keys_;  // by cu_num, other columns, N, K, M
  std::map<int, Target> targets_;
  std::map<std::pair<int, int>, std::vector<double>> ratios_;  // here / there, sorted
  Placed both_;                                                // of any CU count
  std::size_t with_both_ = 0;
  std::array<Errors, kBases> errors_;
};

}  // namespace tunehub::analysis
