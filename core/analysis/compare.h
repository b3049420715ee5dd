// What became slower between two sides: two tables, two runs, two environments. Pure.
#pragma once

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

// By column, in the family's order.
using NamedCells = std::vector<std::pair<std::string, std::string>>;

// A key: its target, and the shape's columns and cells as a line of CSV each. Views of texts that
// the side or the comparison has.
struct KeyLines {
  std::string_view target;  // "gfx942:304"; "": the side does not say
  std::string_view columns, cells;

  bool operator==(const KeyLines&) const = default;
  NamedCells shape() const;
};
struct KeyLinesHasher {
  std::size_t operator()(const KeyLines& key) const;
};

// A candidate's times on a key.
struct CandidateTimes {
  KeyLines key;
  std::string_view candidate;  // core::AppendCandidateText; "": the side does not say
  std::string_view kernel;     // for people
  std::vector<double> runs;    // microseconds; empty: it has no time
};

using NamedViews = std::vector<std::pair<std::string_view, std::string_view>>;

class Side {
 public:
  Environment environment;
  std::set<std::string> mixed;  // facts that what it was put together of does not agree on

  // In the order in which they came.
  const std::vector<CandidateTimes>& timings() const { return timings_; }

  // What there is of the candidate on the key, or new without times. Good until the next call.
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

  core::Texts texts_;  // what the timings view
  std::vector<CandidateTimes> timings_;
  std::unordered_map<Place, std::size_t, PlaceHasher> places_;
  std::string columns_, cells_;  // of the key that is looked for
};

struct Timed {
  double us = 0;
  std::string_view kernel;
};

// What it views is the comparison's.
struct Compared {
  KeyLines key;
  Change change = Change::kSame;
  bool in_base = false, in_head = false;  // with a time or without
  bool is_stable = true;                  // the runs of each side agree
  bool same_kernel = false;               // the sides' fastest candidate is the same one
  std::optional<Timed> base, head;        // the fastest candidate of each side

  // The base has the key, the head does not or has no time of it: a kernel that crashes, say.
  bool lost() const { return change == Change::kRemoved || (base && !head); }
  // How many times faster the head is. Precondition: both are there.
  double speedup() const { return base->us / head->us; }
};

// It may be kept without its sides.
struct Comparison {
  Environment base_environment, head_environment;
  std::vector<Compared> keys;  // in the order of the base; what only the head has, last
  std::array<std::size_t, kChanges> counts{};
  std::size_t base_keys = 0, head_keys = 0;
  std::vector<double> speedups;  // of the keys that both have a time of
  Environments environments;
  std::shared_ptr<const core::Texts> texts;  // what the keys view

  std::size_t Count(Change change) const { return counts[static_cast<std::size_t>(change)]; }
  std::size_t lost() const;  // keys
};
// In bytes. Texts that comparisons share count for each: they live as long as any of them.
std::size_t SizeOf(const Comparison& comparison);

// Keys are joined by target and shape, or by shape where a side says no target. Error
// no_common_key.
core::Result<Comparison> Compare(const Side& base, const Side& head,
                                 const CompareLimits& limits = {});

// What a target is called among the keys that are wanted; nothing: its keys are not.
using WantedTarget = std::function<std::optional<std::string_view>(std::string_view target)>;
// The keys of `whole` that are wanted, judged by `limits`: the answer of Compare for these keys
// alone. Both sides of `whole` said their targets, and its spread was that of `limits`. What
// `wanted` answers views what it was asked. Error no_common_key.
core::Result<Comparison> Narrowed(const Comparison& whole, const WantedTarget& wanted,
                                  const CompareLimits& limits);

enum class Difference {
  kSlower,
  kFaster,
  kAppeared,     // a winner, or its time, where there was none
  kDisappeared,  // there is none any more
  kUnmeasured,   // one without a time that can be believed, where there was a time
  kWithinNoise,  // the time moved, and nobody can say that it did: no difference
  kNone,         // as before, as far as times say
};
inline constexpr std::size_t kDifferences = 5;  // that anybody lists
inline constexpr std::string_view kDifferenceNames[] = {
    "slower", "faster", "appeared", "disappeared", "unmeasured", "within_noise", "none"};
inline std::string_view Name(Difference difference) {
  return kDifferenceNames[static_cast<std::size_t>(difference)];
}

// What a key is served, in one of the states.
struct Winner {
  bool is_tuned = false;     // there is a row, and it is no baseline
  std::optional<double> us;  // that can be believed
};

// `same_code`: both are the same candidate, of the same versions of what it runs on. The limits are
// those of a comparison.
Difference DifferenceOf(const Winner& before, const Winner& now, bool same_code,
                        const CompareLimits& limits = {});

// Which keys of a comparison somebody wants to see, and in which order. Pure.
enum class KeyOrder {
  kWorst,    // what somebody should look at first: by change, then by how much
  kTarget,   // by its text
  kBase,     // by a side's time
  kHead,     //
  kSpeedup,  // of the keys that both sides have a time of
};

struct KeyChoice {
  std::optional<Change> change;  // of this alone
  KeyOrder order = KeyOrder::kWorst;
  bool descending = false;
  std::size_t offset = 0;  // of the first key that is listed
  std::size_t most = std::numeric_limits<std::size_t>::max();
};

core::Status ParseOrder(std::string_view text, KeyChoice& choice);

// Every key of the chosen change, in the chosen order; those without a value last, equals as kWorst
// has them. `offset` and `most` are left to whoever lists them.
std::vector<const Compared*> Chosen(const Comparison& comparison, const KeyChoice& choice);

// What the speed-ups of some keys come to.
struct SpeedupRange {
  std::size_t keys = 0;                                // that both sides have a time of
  double geometric_mean = 1, least = 1, greatest = 1;  // 1 where there is no key
};
// Over all keys, or over those of one change.
SpeedupRange RangeOf(const Comparison& comparison, std::optional<Change> change);

// The sides' environments, the limits, counts, the speed-ups of all keys and by change,
// and the keys that were chosen: "matching" of them, "listed" from `offset` on.
nlohmann::ordered_json ToJson(const Comparison& comparison, const CompareLimits& limits,
                              const KeyChoice& choice = {});

// Every key of the chosen change, in the chosen order. Lines that begin with '#' say the
// environments.
std::string ToCsv(const Comparison& comparison, const KeyChoice& choice = {});

}  // namespace tunehub::analysis
