#include "server/service/analysis/dispatch_tables.h"

namespace tunehub::service {

std::shared_ptr<const DispatchTable> MakeDispatchTable(
    std::shared_ptr<const FamilySnapshot> snapshot) {
  const core::Family& family = *snapshot->family;
  std::vector<lookup::TableRow> rows;
  rows.reserve(snapshot->rows.size());
  for (const auto& row : snapshot->rows) {
    if (row->by_default()) rows.push_back(LookedUp(*row));
  }
  RowDigests digests(*snapshot);
  return std::make_shared<const DispatchTable>(DispatchTable{
      std::move(snapshot), lookup::Table(family, std::move(rows)), std::move(digests)});
}

std::shared_ptr<const DispatchTable> DispatchTables::Current(const core::Family& family) {
  auto snapshot = snapshots_.Current(family);
  const std::lock_guard lock(mutex_);
  auto& known = tables_[definitions_.Id(family)];
  if (known != nullptr && known->snapshot == snapshot) return known;
  known = MakeDispatchTable(std::move(snapshot));
  return known;
}

}  // namespace tunehub::service
