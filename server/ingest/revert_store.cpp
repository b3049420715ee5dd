#include "server/ingest/revert_store.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "core/base/text.h"
#include "server/db/quota.h"
#include "server/db/transaction.h"
#include "server/db/write_once.h"
#include "server/ingest/competition_store.h"
#include "server/ingest/guard_store.h"
#include "server/ingest/run_store.h"
#include "server/ingest/source_store.h"
#include "sql.h"

namespace tunehub::server {
namespace {

// Checks the writer's owner and the limits of its API key. An import's run belongs to the owner of
// its source. `before`: the source before that import. Errors: not_owner, key_limited.
core::Status MayRevert(pqxx::work& transaction, const Writer& writer, const RunRecord& run,
                       const Source& before) {
  const bool of_import = !run.source.empty();
  std::string what = fmt::format("run {}", run.id);
  if (of_import) what += fmt::format(" of source '{}'", core::Excerpt(run.source));
  auto owned = CheckOwner(writer, what, of_import ? before.owner : run.owner);
  if (!owned.ok() || !writer.limits || !writer.limits->any()) return owned;
  if (auto within = CheckSource(writer, run.source); !within.ok()) return within;
  return CheckTargets(writer, transaction.exec_params(sql::targets_of_run, run.id, before.id,
                                                      before.head.value_or(kNoImport)));
}

// The families whose served rows changed, by name.
std::vector<RevertedFamily> NameReverted(pqxx::work& transaction, const FamilyOutcomes& families) {
  std::vector<RevertedFamily> reverted;
  for (const auto& row : transaction.exec(sql::known_definitions)) {
    const auto found = families.find(row[0].as<std::int16_t>());
    if (found == families.end() || found->second.changed == 0) continue;
    reverted.push_back({row[1].as<std::string>(), found->second.changed, found->second.emptied});
  }
  std::ranges::sort(reverted, {}, &RevertedFamily::family);
  return reverted;
}

// Chooses again for the keys in `touched`, in one revision of this kind, and writes the outcome.
// Precondition: `outcome` contains the batch. Errors: would_shrink, over_quota.
core::Status Rechoose(pqxx::work& transaction, std::int64_t run, const Writer& by,
                      const std::string& kind, bool dry_run, bool allow_shrink,
                      RevertOutcome& outcome) {
  transaction.exec("ANALYZE touched");
  transaction.exec(sql::rebuild_candidates);
  // This batch has no measurements, so none of its rows can win.
  BatchChanges changes =
      ChooseForTouched(transaction, outcome.batch, std::numeric_limits<std::int64_t>::max());
  FamilyOutcomes& families = changes.at(outcome.batch);
  AddTouched(transaction, families);
  // Answers that choose among runs change, even if no served row changes.
  for (const auto& row : transaction.exec_params(sql::families_of_run, run))
    families[row[0].as<std::int16_t>()];
  outcome.changed = SumOf(families).changed;
  outcome.families = NameReverted(transaction, families);
  if (dry_run) return core::Ok();
  if (const auto loss =
          allow_shrink ? std::nullopt : FindLoss(transaction, by, outcome.batch, families))
    return LossError(*loss);
  const std::string cause = fmt::format("{} of run {}", kind, run);
  const auto revisions = TakeRevisions(transaction, changes, kind, cause);
  if (!revisions.empty()) {
    outcome.revision = revisions.begin()->second;
  } else {
    const auto head = transaction.exec_params1(sql::read_heads, std::int64_t{0});
    outcome.revision = ReadPin(head["revision"], head["token"]);
  }
  FinishBatch(transaction, {outcome.batch,
                            fmt::format(R"({{"run":{},"changed":{},"revision":{}}})", run,
                                        outcome.changed, outcome.revision.number),
                            run});
  const Usage used = {.keys = static_cast<std::int64_t>(outcome.changed)};
  if (auto within = Charge(transaction, {{&by, used}}); !within.ok()) return within;
  Audit(transaction, by, kind, fmt::format("{}: {} keys changed", cause, outcome.changed));
  NotifyChange(transaction);
  return core::Ok();
}

struct OwnRun {
  RunRecord run;
  Source before;  // of an import: the source before it
};

// Finds a run that the writer may revert or accept. Errors: unknown_run, already_reverted, and
// those of MayRevert.
core::Result<OwnRun> OwnRunOf(pqxx::work& transaction, std::int64_t id, const Writer& by) {
  auto run = SelectRun(transaction, id);
  if (!run.ok()) return run.error();
  if (!run->reverted.empty()) {
    return core::Error{"already_reverted",
                       fmt::format("run {} was reverted at {}", id, run->reverted)};
  }
  Source before = run->source.empty() ? Source() : ImportBefore(transaction, run->source, id);
  if (auto may = MayRevert(transaction, by, *run, before); !may.ok()) return may.error();
  return OwnRun{*std::move(run), std::move(before)};
}

Ending<RevertOutcome> WriteRevert(pqxx::work& transaction, std::int64_t id, const Writer& by,
                                  bool dry_run, bool allow_shrink) {
  LockRegistry(transaction);
  const auto own = OwnRunOf(transaction, id, by);
  if (!own.ok()) return own.error();
  const auto& [run, before] = *own;
  const bool of_import = !run.source.empty();
  RevertOutcome outcome;
  outcome.batch =
      OpenBatch(transaction, "revert", {by, {}, fmt::format("revert of run {}", id)}, id)->batch;
  transaction.exec(sql::choice_tables);
  if (of_import)
    TouchMoved(transaction, before, id);
  else
    transaction.exec_params0(sql::touch_withdrawn, id);
  transaction.exec_params0("UPDATE run SET reverted = now(), active = false WHERE id = $1", id);
  if (of_import) MoveHead(transaction, run.source);
  const auto written = Rechoose(transaction, id, by, "revert", dry_run, allow_shrink, outcome);
  if (!written.ok()) return written.error();
  if (dry_run) return Ending<RevertOutcome>::Dropped(std::move(outcome));
  return outcome;
}

Ending<AcceptOutcome> WriteAcceptance(pqxx::work& transaction, std::int64_t id, const Writer& by,
                                      bool dry_run) {
  LockRegistry(transaction);
  if (const auto own = OwnRunOf(transaction, id, by); !own.ok()) return own.error();
  AcceptOutcome outcome;
  outcome.batch =
      OpenBatch(transaction, "accept", {by, {}, fmt::format("accept of run {}", id)}, id)->batch;
  transaction.exec(sql::choice_tables);
  outcome.accepted = transaction.exec_params1(sql::accept_run, id)[0].as<std::size_t>();
  const auto written = Rechoose(transaction, id, by, "accept", dry_run, true, outcome);
  if (!written.ok()) return written.error();
  if (dry_run) return Ending<AcceptOutcome>::Dropped(std::move(outcome));
  return outcome;
}

}  // namespace

core::Result<RevertOutcome> RevertRun(ConnectionPool& pool, std::int64_t run, const Writer& by,
                                      bool dry_run, bool allow_shrink) {
  return InTransaction(pool, [&](pqxx::work& transaction) {
    return WriteRevert(transaction, run, by, dry_run, allow_shrink);
  });
}

core::Result<AcceptOutcome> AcceptRun(ConnectionPool& pool, std::int64_t run, const Writer& by,
                                      bool dry_run) {
  return InTransaction(pool, [&](pqxx::work& transaction) {
    return WriteAcceptance(transaction, run, by, dry_run);
  });
}

}  // namespace tunehub::server
