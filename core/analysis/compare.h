// Finds regressions between a base and a head: two tables, two runs or two environments. Each of
// them is a "side". In this file, "key" means a shape key.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/analysis/environment.h"
#include "core/analysis/statistics.h"
#include "core/base/byte_words.h"
#include "core/base/result.h"

namespace tunehub::analysis {

// Cells by column, in the family's order.
using NamedCells = std::vector<std::pair<std::string, std::string>>;

// A shape key: its target, one CSV line of the shape's columns, and one CSV line of its cells. The
// Side or the Comparison owns the texts.
struct KeyLines {
  std::string_view target;  // "gfx942:304"; "": unknown
  std::string_view columns, cells;

  bool operator==(const KeyLines&) const = default;
  NamedCells shape() const;
};
struct KeyLinesHasher {
  std::size_t operator()(const KeyLines& key) const;
};

struct CandidateTimes {
  KeyLines key;
  std::string_view candidate;  // core::AppendCandidateText; "": unknown
  std::string_view kernel;     // for people
  std::vector<double> runs;    // microseconds; empty: no time
  // half the widest confidence interval / its time; 0: a run has no interval
  double reach = 0;

  void Add(double us, double of_run) {
    reach = of_run > 0 && (runs.empty() || reach > 0) ? std::max(reach, of_run) : 0;
    runs.push_back(us);
  }
};

using NamedViews = std::vector<std::pair<std::string_view, std::string_view>>;

class Side {
 public:
  Environment environment;
  std::set<std::string> mixed;  // facts that differ between the side's parts

  // Returns the times in the order of insertion.
  const std::vector<CandidateTimes>& timings() const { return timings_; }

  // Returns the candidate's times on the shape key; empty for a new candidate. The reference is
  // valid until the next call.
  CandidateTimes& At(std::string_view target, const NamedViews& shape, std::string_view candidate,
                     std::string_view kernel);

 private:
  struct Place {
    KeyLines key;
    std::string_view candidate;
    bool operator==(const Place&) const = default;
  };
  struct PlaceHasher {
    std::size_t operator()(const Place& place) const;
  };

  core::Texts texts_;  // owns the texts of the timings
  std::vector<CandidateTimes> timings_;
  std::unordered_map<Place, std::size_t, PlaceHasher> places_;
  std::string columns_, cells_;  // buffers of At
};

struct Timed {
  double us = 0;
  std::string_view kernel;
  double reach = 0;  // as in CandidateTimes
};

// One shape key on both sides. The Comparison owns its texts.
struct Compared {
  KeyLines key;
  Change change = Change::kSame;
  // true if that side contains the key, with or without a time
  bool in_base = false, in_head = false;
  bool is_stable = true;            // the runs of each side agree
  bool same_kernel = false;         // both sides have the same fastest candidate
  std::optional<Timed> base, head;  // the fastest candidate of each side

  // True if the base has the shape key but the head lacks the key or its time. An example is a
  // kernel that crashes. A base time below ignore_below_us is never lost.
  bool lost() const {
    return change != Change::kBelowFloor && (change == Change::kNotInHead || (base && !head));
  }
  // How many times faster the head is. Precondition: both sides have a time.
  double speedup() const { return base->us / head->us; }
};

// Stays valid after its two Side objects are gone.
struct Comparison {
  Environment base_environment, head_environment;
  std::vector<Compared> keys;  // in the order of the base, then keys that only the head has
  std::array<std::size_t, kChanges> counts{};
  std::size_t base_keys = 0, head_keys = 0;
  std::vector<double> speedups;  // speed-ups of keys with a time on both sides
  Environments environments;
  std::shared_ptr<const core::Texts> texts;  // owns the texts of the keys

  std::size_t Count(Change change) const { return counts[static_cast<std::size_t>(change)]; }
  std::size_t lost() const;  // number of keys that are lost()
};
// A comparison's memory in bytes. A text that several comparisons share counts in each of them.
std::size_t SizeOf(const Comparison& comparison);

// Joins shape keys by target and shape, or by shape alone if a side has no targets. Errors:
// no_common_key.
core::Result<Comparison> Compare(const Side& base, const Side& head,
                                 const CompareLimits& limits = {});

// Returns the name that a wanted target gets in the result, as a view into `target`. Returns
// nullopt for an unwanted target.
using WantedTarget = std::function<std::optional<std::string_view>(std::string_view target)>;
// Returns the result that Compare would give for only the wanted keys of `whole`, with other
// limits. Preconditions: both sides of `whole` have targets, and Compare used the spread of
// `limits`. Errors: no_common_key.
core::Result<Comparison> Narrowed(const Comparison& whole, const WantedTarget& wanted,
                                  const CompareLimits& limits);

enum class Difference {
  kSlower,
  kFaster,
  // the earlier or the later state has no winner, or its winner has no credible time
  kNotMeasuredBefore,
  kNotMeasuredAfter,
  kBelowFloor,   // the time changed, but the earlier time is below ignore_below_us
  kWithinNoise,  // the time changed within the limits, or rose with the same code
  kNone,         // the times do not differ
};
inline constexpr std::size_t kDifferences = 6;  // every kind but kNone
inline constexpr std::string_view kDifferenceNames[] = {
    "slower",       "faster", "not_measured_before", "not_measured_after", "below_floor",
    "within_noise", "none"};
inline std::string_view Name(Difference difference) {
  return kDifferenceNames[static_cast<std::size_t>(difference)];
}

// The row that the hub served for a shape key, before or after a change.
struct Winner {
  bool is_tuned = false;     // there is a row, and it is not a baseline
  std::optional<double> us;  // the winner's credible time
};

// `same_code`: both winners are the same candidate with equal software versions.
Difference DifferenceOf(const Winner& before, const Winner& after, bool same_code);

enum class KeyOrder {
  kWorst,    // the most urgent first: by kind of change, then by size of change
  kTarget,   // by its text
  kBase,     // by one side's time
  kHead,     //
  kSpeedup,  // of keys with a time on both sides
};

// Says which keys of a comparison to list, and in which order.
struct KeyChoice {
  std::optional<Change> change;  // nullopt: any
  KeyOrder order = KeyOrder::kWorst;
  bool descending = false;
  std::size_t offset = 0;  // the number of keys before the first listed key
  std::size_t most = std::numeric_limits<std::size_t>::max();
};

core::Status ParseOrder(std::string_view text, KeyChoice& choice);

// Returns every key of the chosen change, in the chosen order. Keys without a value come last.
// Equal keys are in the order of kWorst. The caller applies `offset` and `most`.
std::vector<const Compared*> Chosen(const Comparison& comparison, const KeyChoice& choice);

struct SpeedupRange {
  std::size_t keys = 0;                                // with a time on both sides
  double geometric_mean = 1, least = 1, greatest = 1;  // 1 if there are no keys
};
// The range over all keys, or over the keys of one change.
SpeedupRange RangeOf(const Comparison& comparison, std::optional<Change> change);

// Returns the sides' environments, the limits, counts, the speed-ups of all keys and by change, and
// the chosen keys. "matching" is the number of chosen keys; "listed" contains the keys from
// `offset` on.
nlohmann::ordered_json ToJson(const Comparison& comparison, const CompareLimits& limits,
                              const KeyChoice& choice = {});

// The environments of a comparison, each with its name: base, head, environments.
std::vector<std::pair<std::string, std::string>> FactsOf(const Comparison& comparison);

// Returns every key of the chosen change, in the chosen order.
std::string ToCsv(const Comparison& comparison, const KeyChoice& choice = {});

}  // namespace tunehub::analysis
