#include "server/service/ingest/runs.h"

#include <string>
#include <utility>

namespace tunehub::service {

RunRecord Runs::Create(RunContent content, const store::Writer& by, bool& created) {
  // The default owner's are known by what they were known by when there was no other.
  if (by.owner != store::kDefaultOwner) {
    content.hash = core::HashOf(content.hash.Uuid() + "\n" + by.owner);
  }
  return store_.runs().Create(content, created, by);
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

std::map<std::int64_t, RunTally> Runs::Count(const std::vector<RunRecord>& runs) const {
  std::vector<std::int64_t> ids;
  for (const RunRecord& run : runs) ids.push_back(run.id);
  return store_.runs().Count(ids);
}

std::vector<RunRecord> Runs::Search(std::int64_t id, const std::string& text,
                                    std::size_t limit) const {
  return store_.runs().Search(id, text, limit);
}

core::Result<RevertOutcome> Runs::Revert(std::int64_t id, const store::Writer& by, bool dry_run,
                                         bool allow_shrink) {
  auto reverted = store_.batches().Revert(id, by, dry_run, allow_shrink);
  if (reverted.ok() && !dry_run) snapshots_.Expect(reverted->revision);
  return reverted;
}

}  // namespace tunehub::service
