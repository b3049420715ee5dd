// Rows that were read anew, as the objects that a snapshot has of them already: a state beside
// another one costs memory for what differs, and who compares the two finds the same.
#pragma once

#include <cstddef>
#include <memory>
#include <tuple>
#include <vector>

#include "server/service/registry/snapshot.h"

namespace tunehub::service {

// Of a snapshot, which must outlive it, asked for in the order of its rows.
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

}  // namespace tunehub::service
