// What snapshots do where the database's history is another one than was told.
#include <stdexcept>

#include "server/service/registry/snapshots.h"

namespace tunehub::service {

bool Snapshots::Moved() {
  const auto set = Current();
  const core::Pin known = NewestIn(*set);
  const store::Heads heads = store_.revisions().ReadHeads(known.number);
  seen_ = heads.revision.number;
  return heads.writes != set->writes || (known.has_token() && heads.known != known.token);
}

bool Snapshots::IsLost(const core::Pin& told) const {
  return told.has_token() && store_.revisions().ReadHeads(told.number).known != told.token;
}

core::Pin Snapshots::NewestIn(const SnapshotSet& set) const {
  core::Pin newest = history_.newest();
  const auto see = [&](const core::Pin& it) {
    if (it.number > newest.number || !newest.has_token()) newest = it;
  };
  see(set.revision);
  for (const auto& [id, snapshot] : set.families) see(snapshot->revision);
  return newest;
}

std::shared_ptr<SnapshotSet> Snapshots::ReadAnew(int era) {
  rereading_ = true;  // also where this throws: what is served is of no history that goes on
  versions_.Forget();
  CheckIds();
  // Before the heads are read: what was committed until now they have, or it is gone.
  history_.ForgetExpected();
  auto set = Nothing(era);
  CatchUp(*set);
  return set;
}

// A family that came after the restored moment would get another number from the next start on.
void Snapshots::CheckIds() const {
  std::map<std::string, std::int16_t> ids;
  for (const auto& it : store_.schema().Families()) ids[it.name] = it.id;
  for (const auto& family : definitions_.families.all()) {
    const auto found = ids.find(family->name);
    if (found != ids.end() && found->second == definitions_.Id(*family)) continue;
    throw std::runtime_error(family->name +
                             ": the restored database does not know this family, or by another "
                             "number; restart the server, which adds it");
  }
}

}  // namespace tunehub::service
