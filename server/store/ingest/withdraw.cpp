// Taking a run out of the competition.
#include <fmt/core.h>

#include "server/store/connection/audit.h"
#include "server/store/connection/transaction.h"
#include "server/store/ingest/batches.h"
#include "server/store/ingest/choice.h"
#include "server/store/ingest/permission.h"
#include "server/store/ingest/run_statements.h"
#include "server/store/ingest/shrinkage.h"
#include "server/store/ingest/sources.h"
#include "sql.h"

namespace tunehub::store {
namespace {

std::vector<RevertedFamily> CountReverted(pqxx::work& transaction, std::int64_t batch) {
  std::vector<RevertedFamily> families;
  for (const auto& row : transaction.exec_params(sql::count_reverted, batch)) {
    families.push_back(
        {row[0].as<std::string>(), row[1].as<std::size_t>(), row[2].as<std::size_t>()});
  }
  return families;
}

Ending<RevertOutcome> WriteRevert(pqxx::work& transaction, std::int64_t id, const Writer& by,
                                  bool dry_run, bool allow_shrink) {
  transaction.exec(sql::lock_registry);
  const auto run = SelectRun(transaction, id);
  if (!run.ok()) return run.error();
  if (!run->reverted.empty()) {
    return core::Error{"already_reverted",
                       fmt::format("run {} was reverted at {}", id, run->reverted)};
  }
  if (const auto may = MayRevert(transaction, by, *run); !may.ok()) return may.error();
  const std::string cause = fmt::format("revert of run {}", id);
  RevertOutcome outcome;
  outcome.batch = transaction
                      .exec_params1(sql::insert_batch, "revert", by.api_key,
                                    std::optional<std::string>(), cause, id, by.owner)[0]
                      .as<std::int64_t>();
  transaction.exec(sql::choice_tables);
  if (run->source.empty()) {
    transaction.exec_params(sql::touch_withdrawn, id);
    transaction.exec_params0(sql::revert_run, id);
  } else {
    RevertImport(transaction, run->source, id);
  }
  transaction.exec("ANALYZE touched");
  transaction.exec(sql::rebuild_candidates);
  // No measurement of this batch exists: nothing can be won by it.
  const FamilyOutcomes families =
      ChooseForTouched(transaction, outcome.batch, std::numeric_limits<std::int64_t>::max());
  for (const auto& family : families) outcome.changed += family.second.changed;
  outcome.families = CountReverted(transaction, outcome.batch);
  if (dry_run) return Ending<RevertOutcome>::Dropped(std::move(outcome));
  if (const auto loss =
          allow_shrink ? std::nullopt : FindLoss(transaction, by, outcome.batch, families))
    return LossError(*loss);
  if (const auto revision = TakeRevision(transaction, outcome.batch, "revert", cause, families)) {
    outcome.revision = *revision;
  } else {
    const auto head = transaction.exec1(sql::read_head);
    outcome.revision = ReadPin(head[0], head[1]);
  }
  transaction.exec_params0(sql::finish_batch, outcome.batch,
                           fmt::format(R"({{"reverted":{},"changed":{},"revision":{}}})", id,
                                       outcome.changed, outcome.revision.number),
                           id);
  Audit(transaction, by, "revert", fmt::format("{}: {} keys changed", cause, outcome.changed));
  NotifyChange(transaction);
  return outcome;
}

}  // namespace

core::Result<RevertOutcome> BatchStore::Revert(std::int64_t run, const Writer& by, bool dry_run,
                                               bool allow_shrink) {
  return InTransaction(pool_, [&](pqxx::work& transaction) {
    return WriteRevert(transaction, run, by, dry_run, allow_shrink);
  });
}

}  // namespace tunehub::store
