#include "server/service/ingest/runs.h"

#include <string>
#include <utility>

namespace tunehub::service {

RunRecord Runs::Create(const RunContent& content, bool& created) {
  return store_.runs().Create(content, created);
}

std::vector<RunRecord> Runs::List(std::int64_t before_id, std::size_t limit) const {
  return store_.runs().List(before_id, limit);
}

core::Result<RunWithBatches> Runs::Find(std::int64_t id) const {
  auto run = store_.runs().Find(id);
  if (!run.ok()) return run.error();
  std::vector<RepeatedRun> repeated;
  if (run->rows > run->stored) repeated = store_.runs().ListRepeated(id);
  return RunWithBatches{*std::move(run), store_.runs().ListBatches(id), std::move(repeated)};
}

core::Result<RevertOutcome> Runs::Revert(std::int64_t id, std::int64_t api_key) {
  auto reverted = store_.batches().Revert(id, api_key);
  if (reverted.ok()) snapshots_.Expect(reverted->revision);
  return reverted;
}

}  // namespace tunehub::service
