#include "server/ingest/source_store.h"

#include <fmt/core.h>

#include <utility>

#include "core/base/text.h"
#include "server/db/quota.h"
#include "server/db/transaction.h"
#include "server/db/write_once.h"
#include "server/ingest/competition_store.h"
#include "server/ingest/guard_store.h"
#include "server/ingest/run_store.h"
#include "sql.h"

namespace tunehub::server {
namespace {

// Opens or creates the source. A new source belongs to the writer's owner. With `upstream`, the
// writer's owner also becomes the owner of a source whose import in force is not from upstream.
// Errors: not_owner.
core::Result<Source> OpenSource(pqxx::work& transaction, const Writer& writer,
                                const std::string& name, bool upstream) {
  const auto row = transaction.exec_params1(sql::open_source, name, writer.owner, upstream);
  const auto owned =
      CheckOwner(writer, fmt::format("source '{}'", core::Excerpt(name)), row[2].as<std::string>());
  if (!owned.ok()) return owned.error();
  return Source{name, row[0].as<int>(), ReadOptional<std::int64_t>(row[1]),
                row[2].as<std::string>()};
}

// Removes from the stage the rows that the source already had. Records for each row of the source
// if `run` contains it. Call it before the transaction stores a measurement of `run`.
void TakeKnown(pqxx::work& transaction, std::int64_t run, Imported& imported) {
  const int source = imported.source.id;
  transaction.exec_params0(sql::find_known, source, run);
  transaction.exec("ANALYZE known");
  for (const auto& row : transaction.exec_params(sql::mark_known, source, run))
    imported.back.push_back(row[0].as<std::int64_t>());
  const auto counts = transaction.exec1(sql::delete_known);
  imported.rows = counts[0].as<std::size_t>();
  imported.competing = counts[1].as<std::size_t>();
}

// Returns the shape keys that the source would lose, if they are too many and the writer did not
// allow the loss. Call it before TakeKnown, with all rows staged. Errors: key_limited (the limits
// of the writer's API key do not allow one of them).
core::Result<std::optional<Shrinkage>> FindShrinkage(pqxx::work& transaction,
                                                     const WriteRequest& write,
                                                     const Source& source) {
  const bool limited = write.limits && write.limits->any();
  if (!source.head || (write.allow_shrink && !limited)) return std::optional<Shrinkage>();
  if (limited) {
    const auto within =
        CheckTargets(write, transaction.exec_params(sql::targets_going, source.id, *source.head));
    if (!within.ok()) return within.error();
  }
  if (write.allow_shrink) return std::optional<Shrinkage>();
  constexpr std::int64_t kListed = 20;  // shape keys in an answer
  Shrinkage shrinkage;
  for (const auto& row :
       transaction.exec_params(sql::find_going, source.id, *source.head, kListed)) {
    shrinkage.keys.push_back({row[0].as<std::string>(), row[1].as<std::string>(), row[2].as<int>(),
                              row[3].as<std::string>()});
    shrinkage.going = row[4].as<std::size_t>();
    shrinkage.held = row[5].as<std::size_t>();
  }
  if (shrinkage.going * kShrinkShare <= shrinkage.held) return std::optional<Shrinkage>();
  return std::optional(std::move(shrinkage));
}

}  // namespace

core::Result<Imported> OpenImport(pqxx::work& transaction, const BatchRequest& request,
                                  const RunRecord& run, StagedBatch& staged,
                                  BatchOutcome& outcome) {
  const auto source = OpenSource(transaction, request.write, run.source, run.trusted);
  if (!source.ok()) return source.error();
  Imported imported{*source};
  if (source->head && request.incomplete) return *request.incomplete;
  staged.Analyse();
  transaction.exec(sql::known_tables);
  const auto shrinkage = FindShrinkage(transaction, request.write, *source);
  if (!shrinkage.ok()) return shrinkage.error();
  outcome.shrinkage = *shrinkage;
  if (outcome.shrinkage) return imported;
  TakeKnown(transaction, run.id, imported);
  outcome.unchanged = imported.rows;
  outcome.unchanged_competing = imported.competing;
  return imported;
}

Source ImportBefore(pqxx::work& transaction, const std::string& source, std::int64_t run) {
  const auto found = transaction.exec_params1(sql::find_import_before, source, run);
  return {source, found[0].as<int>(), ReadOptional<std::int64_t>(found[1]),
          found[2].as<std::string>()};
}

void MoveHead(pqxx::work& transaction, const std::string& source) {
  transaction.exec_params0(sql::move_head, source);
}

void TouchMoved(pqxx::work& transaction, const Source& source, std::int64_t run) {
  transaction.exec_params0(sql::touch_moved, source.id, source.head.value_or(kNoImport), run);
}

core::Status CheckTargets(const Writer& writer, const pqxx::result& targets) {
  for (const auto& row : targets) {
    if (auto within = CheckFamily(writer, row[0].as<std::string>()); !within.ok()) return within;
    auto within = CheckTarget(writer, row[1].as<std::string>(), row[2].as<int>());
    if (!within.ok()) return within;
  }
  return core::Ok();
}

namespace {

using MaybeOutcome = std::optional<BatchOutcome>;

// The ranges of run ids of rows in the import in force have no end. So the new import also contains
// these rows, without any change.
Ending<MaybeOutcome> WriteRepeat(pqxx::work& transaction, const BatchRequest& request,
                                 const std::function<std::string(const BatchOutcome&)>& render) {
  LockRegistry(transaction);
  auto opened = OpenBatch(transaction, "import", request.write, std::nullopt);
  if (!opened.ok()) return opened.error();
  BatchOutcome outcome;
  static_cast<WriteOutcome&>(outcome) = *std::move(opened);
  if (outcome.replayed) return Ending<MaybeOutcome>::Dropped(std::move(outcome));
  const auto source = OpenSource(transaction, request.write, request.new_run.source,
                                 IsTrusted(request.new_run, request.write));
  if (!source.ok()) return source.error();
  const auto same =
      transaction.exec_params(sql::find_same_import, request.new_run.source, request.content);
  if (same.empty()) return Ending<MaybeOutcome>::Dropped(std::nullopt);
  bool created = false;
  outcome.run = InsertRun(transaction, request.new_run, request.write, created).id;
  outcome.unchanged = same[0]["rows"].as<std::size_t>();
  CountRows(transaction, {{outcome.run, outcome.unchanged, 0, same[0]["id"].as<std::int64_t>(),
                           request.content}});
  MoveHead(transaction, request.new_run.source);
  for (const auto& [family, sha256] : request.families) outcome.families[family];
  // No served row changes, only their provenance.
  TakeRevisions(transaction, {{outcome.batch, outcome.families}}, "import", "");
  const auto batch = same[0]["batch"].as<std::int64_t>();
  const std::string patch = render(outcome);
  outcome.receipt = PatchReceipt(same[0]["receipt"].as<std::string>(), patch);
  FinishBatch(transaction, {outcome.batch, patch, outcome.run, batch});
  const Usage used = {.bytes = request.write.bytes};
  if (auto within = Charge(transaction, {{&request.write, used}}); !within.ok())
    return within.error();
  Audit(transaction, request.write, "import",
        fmt::format("import {}: run {}, {} rows, unchanged", request.new_run.source, outcome.run,
                    outcome.unchanged));
  NotifyChange(transaction);
  return MaybeOutcome(std::move(outcome));
}

}  // namespace

core::Result<MaybeOutcome> RepeatImport(
    ConnectionPool& pool, const BatchRequest& request,
    const std::function<std::string(const BatchOutcome&)>& render) {
  // Most imports have new rows. For them, this check avoids a second lock.
  if (Query(pool, sql::find_same_import, request.new_run.source, request.content).empty()) {
    return MaybeOutcome();
  }
  return InTransaction(
      pool, [&](pqxx::work& transaction) { return WriteRepeat(transaction, request, render); });
}

}  // namespace tunehub::server
