// The tuned rows of one family at one revision, in memory. A published snapshot never changes, so
// threads read it without a lock while the next snapshot is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/base/pin.h"
#include "core/family/family.h"
#include "core/lookup/table.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/revision_records.h"

namespace tunehub::server {

struct FamilySnapshot {
  const core::Family* family = nullptr;  // lives as long as the Definitions
  std::int16_t id = 0;
  std::vector<std::shared_ptr<const TunedRow>> rows;  // by sort key, then provider
  // the last revision that changed this family; 0: none
  core::Pin revision;
  std::int64_t change = 0;  // the newest batch in the snapshot
  // version of the family file; 0: nothing was read
  int version = 0;
  int era = 0;  // see SnapshotSet
  // If the database has another family file than this server, the family's newest revision. The
  // snapshot then keeps the last revision that the server can read. Number 0: the snapshot is not
  // behind.
  core::Pin beyond;

  bool is_behind() const { return beyond.number != 0; }
  // True if the family has rows, but this server could never read any.
  bool is_unreadable() const { return is_behind() && version == 0; }
};

// Returns the snapshot after a delta. Rows of the delta replace rows of the same shape key and
// provider. A shape key that lost its row has no row then.
std::shared_ptr<const FamilySnapshot> Advance(const FamilySnapshot& old, const SnapshotDelta& delta,
                                              std::vector<std::shared_ptr<const TunedRow>> changed);

// Replaces rows of another state by equal rows of a snapshot. So the other state needs memory only
// for its differences. The snapshot must outlive this object. Call Find in the snapshot's order.
class SharedRows {
 public:
  explicit SharedRows(const FamilySnapshot& snapshot) : rows_(snapshot.rows) {}

  // Returns the snapshot's row if it equals `row`, or else `row`.
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

// Returns the row of a stored line. Precondition: the line's cells are canonical in the columns of
// `family`. Returns null if the number of cells differs. The caller sets key, provider and
// standing.
std::shared_ptr<TunedRow> RowOfLine(const core::Family& family, const core::Targets& targets,
                                    std::string line, std::string& scratch);

// Returns the row for lookups, with a view of its line.
inline lookup::TableRow LookedUp(const TunedRow& row) {
  return {row.line, row.us, row.standing, row.baseline, row.trusted};
}

// Finds the rows of a lookup table by the addresses of their lines. The indices differ, because a
// lookup table drops rows that lookups never use.
class RowsByLine {
 public:
  // `rows` must outlive this object.
  explicit RowsByLine(const std::vector<std::shared_ptr<const TunedRow>>& rows) {
    for (const auto& row : rows) by_line_.emplace(row->line.data(), row.get());
  }
  // Precondition: `row` views one of the lines.
  const TunedRow& Of(const lookup::TableRow& row) const { return *by_line_.at(row.line.data()); }

 private:
  std::unordered_map<const char*, const TunedRow*> by_line_;
};

void SortRows(std::vector<std::shared_ptr<const TunedRow>>& rows);

// Returns the rows of a past table, in the columns and order of `family`, a version of the family
// `id`. Converts lines of other versions to these columns. Throws std::runtime_error if a line does
// not fit.
std::vector<std::shared_ptr<const TunedRow>> RowsOfPast(const core::Family& family, std::int16_t id,
                                                        std::vector<TunedRecord> past,
                                                        FamilyVersions& versions,
                                                        const core::Targets& targets);

}  // namespace tunehub::server
