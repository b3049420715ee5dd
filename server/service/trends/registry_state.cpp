#include "server/service/trends/registry_state.h"

#include <stdexcept>
#include <utility>

#include "server/service/registry/shared_rows.h"
#include "server/service/registry/stored_rows.h"

namespace tunehub::service {

RegistryState RegistryStates::Now(const core::Pin& revision) {
  RegistryState state{revision, {}};
  for (const auto& family : definitions_.families.all()) {
    if (tables_->Reads(*family)) state.tables.push_back(tables_->Current(*family));
  }
  return state;
}

core::Result<RegistryState> RegistryStates::At(const core::Pin& revision) {
  RegistryState state{revision, {}};
  for (const auto& family : definitions_.families.all()) {
    const std::int16_t id = definitions_.Id(*family);
    const auto head = store_.revisions().ReadPastHead(id, revision);
    if (!head.ok()) return head.error();
    const core::Pin& of = head->family_revision;
    Table now;
    if (tables_ != nullptr && tables_->Reads(*family)) now = tables_->Current(*family);
    if (now != nullptr && !now->snapshot->is_behind() &&
        now->snapshot->revision.number == of.number &&
        (of.number == 0 || now->snapshot->revision == of)) {
      state.tables.push_back(std::move(now));
      continue;
    }
    auto read = Read(*family, revision, of, now);
    if (!read.ok()) return read.error();
    state.tables.push_back(*std::move(read));
  }
  return state;
}

core::Result<RegistryStates::Table> RegistryStates::Read(const core::Family& family,
                                                         const core::Pin& revision,
                                                         const core::Pin& family_revision,
                                                         const Table& now) {
  const std::int16_t id = definitions_.Id(family);
  Table& known = read_[id];
  if (known != nullptr && known->snapshot->revision == family_revision) return known;
  auto past = store_.revisions().ReadPast(id, revision);
  if (!past.ok()) return past.error();
  auto snapshot = std::make_shared<FamilySnapshot>();
  snapshot->family = &family;
  snapshot->id = id;
  snapshot->revision = family_revision;
  try {
    versions_.Learn(id);
    snapshot->rows = RowsOfPast(family, id, std::move(past->rows), versions_, definitions_.targets);
  } catch (const std::runtime_error& error) {
    return core::Error{"unread_lines", error.what()};
  }
  if (now != nullptr) {
    SharedRows shared(*now->snapshot);
    for (auto& row : snapshot->rows) row = shared.Find(row);
  }
  known = MakeDispatchTable(std::move(snapshot));
  return known;
}

}  // namespace tunehub::service
