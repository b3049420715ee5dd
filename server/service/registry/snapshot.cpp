#include "server/service/registry/snapshot.h"

#include <set>
#include <tuple>

namespace tunehub::service {
namespace {

bool Before(const TunedRow& a, const TunedRow& b) {
  return std::tie(a.order, a.provider) < std::tie(b.order, b.provider);
}

}  // namespace

std::shared_ptr<const FamilySnapshot> Advance(
    const FamilySnapshot& old, const store::SnapshotDelta& delta,
    std::vector<std::shared_ptr<const TunedRow>> changed) {
  auto next = std::make_shared<FamilySnapshot>();
  next->family = old.family;
  next->id = old.id;
  next->revision = delta.family_revision;
  next->change = delta.change;
  next->version = delta.family_version;
  next->era = old.era;
  std::set<std::pair<std::string, registry::Provider>> gone;
  for (const store::TunedRecord& record : delta.rows) {
    if (!record.served) gone.emplace(record.order, record.provider);
  }
  // Both sides are in order: one pass.
  next->rows.reserve(old.rows.size() + changed.size());
  auto fresh = changed.begin();
  for (const auto& row : old.rows) {
    while (fresh != changed.end() && Before(**fresh, *row)) next->rows.push_back(*fresh++);
    const bool replaced = fresh != changed.end() && !Before(*row, **fresh);
    if (replaced)
      next->rows.push_back(*fresh++);
    else if (gone.empty() || !gone.contains({row->order, row->provider}))
      next->rows.push_back(row);
  }
  next->rows.insert(next->rows.end(), fresh, changed.end());
  next->rows.shrink_to_fit();  // it stays for as long as nothing changes
  return next;
}

}  // namespace tunehub::service
