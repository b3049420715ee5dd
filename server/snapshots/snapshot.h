// The tuned rows of one family in memory, as of one revision: immutable once published, so that any
// number of threads read it while the next one is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/pin.h"
#include "core/family/family.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/revision_records.h"

namespace tunehub::server {

struct FamilySnapshot {
  const core::Family* family = nullptr;  // lives as long as the Definitions
  std::int16_t id = 0;
  std::vector<std::shared_ptr<const TunedRow>> rows;  // by order, then provider
  core::Pin revision;       // the last one that changed this family; 0: never
  std::int64_t change = 0;  // newest batch in it
  int version = 0;          // of the family, in force
  int era = 0;              // SnapshotSet
  // The newest revision of the family, where it has another family file than this server, which
  // goes on with the last that it could read. No number: there is none.
  core::Pin beyond;

  bool is_behind() const { return beyond.number != 0; }
  // There are rows, and none that this server could ever read.
  bool is_unreadable() const { return is_behind() && version == 0; }
};

// The snapshot after a delta: rows of the same key and provider are replaced, unserved ones go.
std::shared_ptr<const FamilySnapshot> Advance(const FamilySnapshot& old, const SnapshotDelta& delta,
                                              std::vector<std::shared_ptr<const TunedRow>> changed);

// Rows that were read anew, as the objects that a snapshot has of them already: a state beside
// another one costs memory for what differs, and who compares the two finds the same. The snapshot
// must outlive it; it is asked for rows in its order.
class SharedRows {
 public:
  explicit SharedRows(const FamilySnapshot& snapshot) : rows_(snapshot.rows) {}

  // The snapshot's row where it is equal; else `row`.
  std::shared_ptr<const TunedRow> Find(const std::shared_ptr<const TunedRow>& row) {
    const auto place = std::tie(row->order, row->provider);
    while (at_ < rows_.size() && std::tie(rows_[at_]->order, rows_[at_]->provider) < place) ++at_;
    return at_ < rows_.size() && IsSame(*rows_[at_], *row) ? rows_[at_] : row;
  }

 private:
  static bool IsSame(const TunedRow& a, const TunedRow& b) {
    return a.key == b.key && a.provider == b.provider && a.standing == b.standing &&
           a.baseline == b.baseline && a.trusted == b.trusted && a.line == b.line;
  }

  const std::vector<std::shared_ptr<const TunedRow>>& rows_;
  std::size_t at_ = 0;
};

// The row of a stored line. A line is canonical in the columns of its version, so where that is
// `family` the cells are read as they stand. Null where it has another number of cells. The caller
// says its key, provider and standing.
std::shared_ptr<TunedRow> RowOfLine(const core::Family& family, const core::Targets& targets,
                                    std::string line, std::string& scratch);

void SortRows(std::vector<std::shared_ptr<const TunedRow>>& rows);

// In the columns and the order of `family`, the version that was in force then; `id` is its number.
// Only lines of another version are typed again. Throws std::runtime_error where one does not fit.
std::vector<std::shared_ptr<const TunedRow>> RowsOfPast(const core::Family& family, std::int16_t id,
                                                        std::vector<TunedRecord> past,
                                                        FamilyVersions& versions,
                                                        const core::Targets& targets);

}  // namespace tunehub::server
