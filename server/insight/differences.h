// What is served now against what was served at a revision.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/difference.h"
#include "core/base/byte_words.h"
#include "core/base/pin.h"
#include "core/base/result.h"
#include "server/db/connection_pool.h"
#include "server/insight/speedups.h"
#include "server/queue/demand_counts.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/kept.h"
#include "server/snapshots/revision_store.h"
#include "server/snapshots/snapshots.h"

namespace tunehub::server {

// Which revisions a tunehub.lock pins: what a build was made from.

inline constexpr std::size_t kMaxLockBytes = 1024 * 1024;
inline constexpr std::size_t kMostLocked = 1'000;  // tables

struct LockedRevision {
  const core::Family* family = nullptr;
  core::Pin revision;
  std::vector<core::Target> targets;  // of its rows; empty: all
};

struct LockRevisions {
  std::vector<LockedRevision> tables;
  // Entries that are no table of a family here, with the reason: an engine's tree, say.
  std::vector<std::string> left_out;
};

// Error bad_lock, which names the place within the file.
core::Result<LockRevisions> ReadLock(const Definitions& definitions, std::string_view text);

// What a key is served in one of the states.
struct DifferenceSide {
  bool is_there = false;     // a row
  bool is_baseline = false;  // of which nothing but what runs untuned was measured
  std::optional<double> us;  // that can be believed
  std::string kernel;
  std::int64_t run = 0;
};

// A key whose row changed. There may be as many as there are rows, so what is served now is the row
// that is in memory anyway, and what follows from it is not said again.
struct KeyDifference {
  std::shared_ptr<const TunedRow> row;  // that is served now; where none is any more, that was
  const LastChange* change = nullptr;   // the FamilyDifferences'
  std::string_view before_kernel;       // the FamilyDifferences'
  double before = std::numeric_limits<double>::quiet_NaN();  // in us; NaN: none to be believed
  std::int64_t before_run = 0, now_run = 0;
  bool was_there = false, was_baseline = false, is_there = false;
  analysis::Difference difference = analysis::Difference::kNone;

  std::optional<double> before_us() const;
  std::optional<double> now_us() const;
  DifferenceSide Before() const;
  DifferenceSide Now(const core::Family& family) const;
};

// What one family serves now against what it served at a revision, key by key.
struct FamilyDifferences {
  std::vector<KeyDifference> keys;  // in the order of the CSV; those of no difference, too
  std::map<std::int64_t, LastChange> changes;  // by revision
  core::Texts texts;
  std::size_t row_bytes = 0;  // of rows that no snapshot has
};
std::size_t SizeOf(const FamilyDifferences& differences);

enum class DifferenceSort { kLost, kRatio, kBefore, kNow, kDemand, kFamily, kTarget, kRevision };
inline constexpr std::string_view kDifferenceSorts[] = {"lost",   "ratio",  "before", "now",
                                                        "demand", "family", "target", "revision"};

struct DifferenceChoice {
  std::optional<analysis::Difference> kind;  // of this alone
  DifferenceSort order = DifferenceSort::kLost;
  bool descending = true;
  std::size_t offset = 0, most = 50;
};

// A difference with what it weighs.
struct WeighedDifference {
  const core::Family* family = nullptr;
  const KeyDifference* key = nullptr;
  std::int64_t demand = 0;  // how often the shape was asked for and missed; 0: never

  // More is worse: the time that every call takes longer, times the calls where they were counted.
  // Nothing where one of the states has no time.
  std::optional<double> lost_us() const {
    const auto before = key->before_us(), now = key->now_us();
    if (!before || !now) return std::nullopt;
    return (*now - *before) * static_cast<double>(demand > 0 ? demand : 1);
  }
};

// A revision, and how much of it is still to be seen.
struct RevisionShare {
  const LastChange* change = nullptr;
  std::size_t keys = 0;
};

struct DifferenceTotals {
  std::array<std::size_t, analysis::kDifferences> keys{};  // by kind
  std::array<double, analysis::kDifferences> lost_us{};
  std::size_t within_noise = 0;
  std::map<std::int64_t, RevisionShare> revisions;  // that did it, by number
};
// Of all that were asked about, whatever kind is to be seen; of revisions those behind `kind`.
DifferenceTotals TotalsOf(const std::vector<WeighedDifference>& differences,
                          std::optional<analysis::Difference> kind);

// Those of the kind, in the order; without a value last, equals by what they lost, then in the
// order of the CSV.
std::vector<WeighedDifference> Listed(const std::vector<WeighedDifference>& differences,
                                      const DifferenceChoice& choice);

struct DifferenceQuery {
  std::vector<LockedRevision> tables;  // with the state that each is compared with
  core::Target target;
  std::string model;    // "": any
  std::int64_t tp = 0;  // 0: any
};

struct DifferenceAnswer {
  std::vector<WeighedDifference> differences;  // each key once; those of no difference, too
  std::vector<std::shared_ptr<const FamilyDifferences>> held;  // what they point to
};

// Over all families that are asked about. Only keys that changed since are read, once for each
// revision there is.
class Differences {
 public:
  Differences(const Definitions& definitions, ConnectionPool& pool, const Snapshots& snapshots,
              FamilyVersions& versions, Speedups& speedups);

  // The last revision that is `days` old. Throws Unavailable.
  RevisionBefore DaysAgo(int days) const;
  // Errors: unknown_revision, revision_gone. Throws Unavailable.
  core::Result<RevisionBefore> At(const core::Pin& revision) const;

  // The revisions of the tables must be ones that At found. Throws Unavailable.
  DifferenceAnswer Get(const DifferenceQuery& query);

  // What the keys were served lately, each with its times in their order: for a picture beside
  // each.
  using Times = std::vector<std::vector<WinnerTime>>;
  Times LatestTimes(std::span<const WeighedDifference> page) const;

 private:
  // Of the rows that are served where nobody asks for a provider, as of now; the family's snapshot
  // may be a little older. Rows whose lines do not fit the family any more are left out.
  std::shared_ptr<const FamilyDifferences> Find(const core::Family& family, const core::Pin& since);

  const Definitions& definitions_;
  ConnectionPool& pool_;
  const Snapshots& snapshots_;
  FamilyVersions& versions_;
  Speedups& speedups_;
  DemandCounts demand_;
  Kept<FamilyDifferences> families_;
};

}  // namespace tunehub::server
