// An import of what its source has already.
#include <fmt/core.h>

#include "server/store/connection/audit.h"
#include "server/store/connection/receipt_patch.h"
#include "server/store/connection/transaction.h"
#include "server/store/connection/write_once.h"
#include "server/store/ingest/batches.h"
#include "server/store/ingest/choice.h"
#include "server/store/ingest/permission.h"
#include "server/store/ingest/run_statements.h"
#include "server/store/ingest/sources.h"
#include "sql.h"

namespace tunehub::store {
namespace {

using MaybeOutcome = std::optional<BatchOutcome>;

std::string ReceiptOf(pqxx::work& transaction, std::int64_t batch) {
  return transaction.exec_params1("SELECT receipt FROM batch WHERE id = $1", batch)[0]
      .as<std::string>();
}

// Every row that the import in force has is open, so it is the new one's too: no row is read.
Ending<MaybeOutcome> WriteRepeat(pqxx::work& transaction, const RepeatRequest& request) {
  transaction.exec(sql::lock_registry);
  auto opened = OpenBatch(transaction, "import", request.write, std::nullopt);
  if (!opened.ok()) return opened.error();
  BatchOutcome outcome;
  static_cast<WriteOutcome&>(outcome) = *std::move(opened);
  if (outcome.replayed) return Ending<MaybeOutcome>::Dropped(std::move(outcome));
  const Source source = OpenSource(transaction, request.new_run.source, request.write.owner,
                                   IsTrusted(request.new_run, request.write));
  const auto owned = CheckSourceOwner(request.write, request.new_run.source, source);
  if (!owned.ok()) return owned.error();
  const auto same =
      transaction.exec_params(sql::find_same_import, request.new_run.source, request.content);
  if (same.empty()) return Ending<MaybeOutcome>::Dropped(std::nullopt);
  bool created = false;
  outcome.run = InsertRun(transaction, request.new_run, request.write, created).id;
  outcome.unchanged = same[0]["rows"].as<std::size_t>();
  CountRows(transaction, outcome.run,
            {outcome.unchanged, 0, same[0]["id"].as<std::int64_t>(), request.content});
  MoveHead(transaction, request.new_run.source);
  TakeRevision(transaction, outcome.batch, "import", "", {});  // nothing that is served changes
  const auto batch = same[0]["batch"].as<std::int64_t>();
  const std::string patch = request.render(outcome);
  outcome.receipt = PatchReceipt(ReceiptOf(transaction, batch), patch);
  transaction.exec_params0(sql::finish_repeat, outcome.batch, patch, outcome.run, batch);
  Audit(transaction, request.write, "import",
        fmt::format("import {}: run {}, {} rows, the same again", request.new_run.source,
                    outcome.run, outcome.unchanged));
  NotifyChange(transaction);
  return MaybeOutcome(std::move(outcome));
}

}  // namespace

core::Result<MaybeOutcome> BatchStore::Repeat(const RepeatRequest& request) {
  // Most imports have something new, and are not to take the lock twice.
  if (Query(pool_, sql::find_same_import, request.new_run.source, request.content).empty()) {
    return MaybeOutcome();
  }
  return InTransaction(pool_,
                       [&](pqxx::work& transaction) { return WriteRepeat(transaction, request); });
}

}  // namespace tunehub::store
