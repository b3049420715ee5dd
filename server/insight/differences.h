// Finds differences between the rows served now and the rows served at a revision.
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

#include "core/analysis/compare.h"
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

// The revisions to which a tunehub.lock pins a build's tables.

inline constexpr std::size_t kMaxLockBytes = 1024 * 1024;
inline constexpr std::size_t kMostLocked = 1'000;  // the most tables in a lock file

struct LockedRevision {
  const core::Family* family = nullptr;
  core::Pin revision;
  std::vector<core::Target> targets;  // targets of the table's rows; empty: all
};

struct LockRevisions {
  std::vector<LockedRevision> tables;
  // Skipped entries of the lock file, such as an engine's tree, each with the reason.
  std::vector<std::string> left_out;
};

// Errors: bad_lock, with the place in the file.
core::Result<LockRevisions> ReadLock(const Definitions& definitions, std::string_view text);

// The row of a shape key in one of the two states.
struct DifferenceSide {
  bool is_there = false;     // there is a row
  bool is_baseline = false;  // only the default was measured
  std::optional<double> us;  // absent: not measured
  std::string kernel;
  std::int64_t run = 0;
};

// A shape key whose row changed. There may be as many objects as rows. To save memory, an object
// shares the row and computes the rest.
struct KeyDifference {
  std::shared_ptr<const TunedRow> row;  // the row served now; if there is none, the earlier row
  const LastChange* change = nullptr;   // points into FamilyDifferences
  std::string_view before_kernel;       // a view into FamilyDifferences
  double before = std::numeric_limits<double>::quiet_NaN();  // us; NaN: not measured
  std::int64_t before_run = 0, now_run = 0;
  bool was_there = false, was_baseline = false, is_there = false;
  analysis::Difference difference = analysis::Difference::kNone;

  std::optional<double> before_us() const;
  std::optional<double> now_us() const;
  DifferenceSide Before() const;
  DifferenceSide Now(const core::Family& family) const;
};

// The differences of one family between now and a revision, one for each shape key.
struct FamilyDifferences {
  std::vector<KeyDifference> keys;             // in the order of the CSV, including unchanged keys
  std::map<std::int64_t, LastChange> changes;  // by revision
  core::Texts texts;
  std::size_t row_bytes = 0;  // bytes of rows that no snapshot owns
};
std::size_t SizeOf(const FamilyDifferences& differences);

enum class DifferenceSort { kLost, kRatio, kBefore, kNow, kDemand, kFamily, kTarget, kRevision };
inline constexpr std::string_view kDifferenceSorts[] = {"lost",   "ratio",  "before", "now",
                                                        "demand", "family", "target", "revision"};

struct DifferenceChoice {
  std::optional<analysis::Difference> kind;  // only this kind
  DifferenceSort order = DifferenceSort::kLost;
  bool descending = true;
  std::size_t offset = 0, most = 50;
};

// A difference with its weight.
struct WeighedDifference {
  const core::Family* family = nullptr;
  const KeyDifference* key = nullptr;
  std::int64_t demand = 0;  // how often lookups missed the shape; 0: never

  // Lost time: the increase of a call's time, times the demand (at least 1). Negative if calls
  // became faster. Absent if one of the two states has no time.
  std::optional<double> lost_us() const {
    const auto before = key->before_us(), now = key->now_us();
    if (!before || !now) return std::nullopt;
    return (*now - *before) * static_cast<double>(demand > 0 ? demand : 1);
  }
};

// A revision, and the number of shape keys that it was the last to change.
struct RevisionShare {
  const LastChange* change = nullptr;
  std::size_t keys = 0;
};

struct DifferenceTotals {
  std::array<std::size_t, analysis::kDifferences> keys{};  // keys by kind
  std::array<double, analysis::kDifferences> lost_us{};
  std::size_t within_noise = 0;
  // the last revisions that changed the keys, by number
  std::map<std::int64_t, RevisionShare> revisions;
};
// Counts all differences. Lists only the revisions that caused differences of `kind`.
DifferenceTotals TotalsOf(const std::vector<WeighedDifference>& differences,
                          std::optional<analysis::Difference> kind);

// The differences of the chosen kind, sorted. Keys without a value come last. Equal keys are sorted
// by lost time, then by the order of the CSV.
std::vector<WeighedDifference> Listed(const std::vector<WeighedDifference>& differences,
                                      const DifferenceChoice& choice);

struct DifferenceQuery {
  std::vector<LockedRevision> tables;  // each with the revision to compare with
  core::Target target;
  std::string model;    // "": any
  std::int64_t tp = 0;  // 0: any
};

struct DifferenceAnswer {
  // each key once, including unchanged keys
  std::vector<WeighedDifference> differences;
  std::vector<std::shared_ptr<const FamilyDifferences>> held;  // own the keys
};

// Computes differences of families. Reads only shape keys that changed after the revision, and
// caches them for each revision.
class Differences {
 public:
  Differences(const Definitions& definitions, ConnectionPool& pool, const Snapshots& snapshots,
              FamilyVersions& versions, Speedups& speedups);

  // Returns the last revision that is at least `days` old. Throws Unavailable.
  RevisionBefore DaysAgo(int days) const;
  // Errors: unknown_revision, revision_gone. Throws Unavailable.
  core::Result<RevisionBefore> At(const core::Pin& revision) const;

  // Precondition: the revisions of the query's tables come from At or DaysAgo. Throws Unavailable.
  DifferenceAnswer Get(const DifferenceQuery& query);

  // Returns the latest times of each key's winners, for charts, in the order of `page`.
  using Times = std::vector<std::vector<WinnerTime>>;
  Times LatestTimes(std::span<const WeighedDifference> page) const;

 private:
  // Returns the differences of the default providers' rows. Null: nothing changed after `since`.
  // The family's snapshot may be a little old. Skips rows whose lines no longer fit the family's
  // columns.
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
