// Finds differences between the rows served at two revisions.
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

// The row of a shape key at one of the two revisions.
struct DifferenceSide {
  bool is_there = false;     // there is a row
  bool is_baseline = false;  // only the default was measured
  std::optional<double> us;  // absent: not measured
  std::string kernel;
  std::int64_t run = 0;
};

// A shape key whose rows differ. There may be as many objects as rows. To save memory, an object
// shares the row and computes the rest.
struct KeyDifference {
  std::shared_ptr<const TunedRow> row;  // the row after; if there is none, the row before
  const LastChange* change = nullptr;   // points into FamilyDifferences
  std::string_view before_kernel;       // a view into FamilyDifferences
  double before = std::numeric_limits<double>::quiet_NaN();  // us; NaN: not measured
  std::int64_t before_run = 0, after_run = 0;
  bool was_there = false, was_baseline = false, is_there = false;
  analysis::Difference difference = analysis::Difference::kNone;

  std::optional<double> before_us() const;
  std::optional<double> after_us() const;
  DifferenceSide Before() const;
  DifferenceSide After(const core::Family& family) const;
};

// The differences of one family between two revisions, one for each shape key.
struct FamilyDifferences {
  std::vector<KeyDifference> keys;             // in the order of the CSV
  std::map<std::int64_t, LastChange> changes;  // by revision
  core::Texts texts;
  std::size_t row_bytes = 0;  // bytes of rows that no snapshot owns
};
std::size_t SizeOf(const FamilyDifferences& differences);

enum class DifferenceSort { kLost, kRatio, kBefore, kAfter, kDemand, kFamily, kTarget, kRevision };
inline constexpr std::string_view kDifferenceSorts[] = {"lost",   "ratio",  "before", "after",
                                                        "demand", "family", "target", "revision"};

struct DifferenceChoice {
  std::optional<analysis::Difference> kind;  // only this kind; absent: all but kWithinNoise
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
    const auto before = key->before_us(), after = key->after_us();
    if (!before || !after) return std::nullopt;
    return (*after - *before) * static_cast<double>(demand > 0 ? demand : 1);
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
  // the last revisions that changed the listed keys, by number
  std::map<std::int64_t, RevisionShare> revisions;
};
// Counts all differences. Lists only the revisions that caused differences of `kind`.
DifferenceTotals TotalsOf(const std::vector<WeighedDifference>& differences,
                          std::optional<analysis::Difference> kind);

// The differences of the chosen kind, sorted. Keys without a value come last. Equal keys are sorted
// by lost time, then by the order of the CSV.
std::vector<WeighedDifference> Listed(const std::vector<WeighedDifference>& differences,
                                      const DifferenceChoice& choice);

// A revision after all others: the rows that are served now.
inline constexpr std::int64_t kPresent = std::numeric_limits<std::int64_t>::max();

struct DifferenceQuery {
  std::vector<LockedRevision> tables;  // each with the revision before
  core::Target target;
  std::string model;              // "": any
  std::int64_t tp = 0;            // 0: any
  core::Pin to = {kPresent, ""};  // the revision after
};

struct DifferenceAnswer {
  // each key once
  std::vector<WeighedDifference> differences;
  std::vector<std::shared_ptr<const FamilyDifferences>> held;  // own the keys
};

// Computes differences of families. Reads only shape keys that changed between the revisions, and
// caches them for each pair of revisions.
class Differences {
 public:
  Differences(const Definitions& definitions, ConnectionPool& pool, const Snapshots& snapshots,
              FamilyVersions& versions, Speedups& speedups);

  // Returns the revision that a text names: "now", "7d", a date or a time of RFC 3339, a revision,
  // its pin, "run:17" (just after the run's writes) or "before-run:17". Errors: bad_parameter, with
  // the name of the parameter; unknown_revision; revision_gone; unknown_run. Throws Unavailable.
  core::Result<RevisionBefore> EndOf(std::string_view parameter, std::string_view text) const;
  // Errors: unknown_revision, revision_gone. Throws Unavailable.
  core::Result<RevisionBefore> At(const core::Pin& revision) const;

  // Precondition: the query's revisions come from the functions above. Throws Unavailable.
  DifferenceAnswer Get(const DifferenceQuery& query);

  // Returns the latest times of each key's winners, for charts, in the order of `page`.
  using Times = std::vector<std::vector<WinnerTime>>;
  Times LatestTimes(std::span<const WeighedDifference> page) const;

 private:
  // Returns the differences of the default providers' rows. Null: nothing changed. The family's
  // snapshot may be a little old. Skips rows whose lines no longer fit the family's columns.
  std::shared_ptr<const FamilyDifferences> Find(const core::Family& family, core::Pin from,
                                                core::Pin to);

  const Definitions& definitions_;
  ConnectionPool& pool_;
  const Snapshots& snapshots_;
  FamilyVersions& versions_;
  Speedups& speedups_;
  DemandCounts demand_;
  Kept<FamilyDifferences> families_;
};

}  // namespace tunehub::server
