#include "server/ingest/guard_store.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "core/base/excerpt.h"
#include "server/db/transaction.h"
#include "server/queue/store_rows.h"
#include "sql.h"

namespace tunehub::server {
namespace {

// Stands for an import that there is none of.
constexpr std::int64_t kNoImport = 0;

// The source as it was before that import.
Source ImportBefore(pqxx::work& transaction, const std::string& source, std::int64_t run) {
  const auto found = transaction.exec_params1(sql::find_import_before, source, run);
  return {found[0].as<int>(), ReadOptional<std::int64_t>(found[1])};
}

}  // namespace

core::Result<Source> OpenSource(pqxx::work& transaction, const Writer& writer,
                                const std::string& name, bool upstream) {
  const auto row = transaction.exec_params1(sql::open_source, name, writer.owner, upstream);
  const auto owned =
      CheckOwner(writer, fmt::format("source '{}'", core::Excerpt(name)), row[2].as<std::string>());
  if (!owned.ok()) return owned.error();
  return Source{row[0].as<int>(), ReadOptional<std::int64_t>(row[1])};
}

Known TakeKnown(pqxx::work& transaction, const Source& source, std::int64_t run) {
  Known known;
  transaction.exec_params0(sql::find_known, source.id, run);
  transaction.exec("ANALYZE known");
  for (const auto& row : transaction.exec_params(sql::mark_known, source.id, run)) {
    known.back.push_back(row[0].as<std::int64_t>());
  }
  const auto counts = transaction.exec1(sql::delete_known);
  known.rows = counts[0].as<std::size_t>();
  known.competing = counts[1].as<std::size_t>();
  return known;
}

void RevertImport(pqxx::work& transaction, const std::string& source, std::int64_t run) {
  TouchMoved(transaction, ImportBefore(transaction, source, run), run);
  transaction.exec_params0(sql::revert_run, run);
  MoveHead(transaction, source);
}

void MoveHead(pqxx::work& transaction, const std::string& source) {
  transaction.exec_params0(sql::move_head, source);
}

void TouchMoved(pqxx::work& transaction, const Source& source, std::int64_t run) {
  transaction.exec_params0(sql::touch_moved, source.id, source.head.value_or(kNoImport), run);
}

namespace {

// Rows of (family, gfx, cu_num). Error key_limited.
core::Status CheckTargets(const Writer& writer, const pqxx::result& targets) {
  for (const auto& row : targets) {
    if (auto within = CheckFamily(writer, row[0].as<std::string>()); !within.ok()) return within;
    auto within = CheckTarget(writer, row[1].as<std::string>(), row[2].as<int>());
    if (!within.ok()) return within;
  }
  return core::Ok();
}

}  // namespace

core::Status MayRevert(pqxx::work& transaction, const Writer& writer, const RunRecord& run) {
  std::string what = fmt::format("run {}", run.id), owner = run.owner;
  if (!run.source.empty()) {
    what += fmt::format(" of source '{}'", core::Excerpt(run.source));
    owner = transaction.exec_params1(sql::find_owner, run.source)[0].as<std::string>();
  }
  if (auto owned = CheckOwner(writer, what, owner); !owned.ok()) return owned;
  if (!writer.limits || !writer.limits->any()) return core::Ok();
  if (auto within = CheckSource(writer, run.source); !within.ok()) return within;
  const auto targets = transaction.exec_params(sql::targets_of_run, run.id);
  if (auto within = CheckTargets(writer, targets); !within.ok() || run.source.empty())
    return within;
  const Source before = ImportBefore(transaction, run.source, run.id);
  return CheckTargets(writer, transaction.exec_params(sql::targets_moved, before.id,
                                                      before.head.value_or(kNoImport), run.id));
}

namespace {

Objection ReadObjection(const pqxx::row& row, const BatchOutcome& outcome) {
  return {static_cast<std::size_t>(row[0].as<std::int64_t>() - outcome.first_id()),
          ReadDouble(row[1]), row[2].as<std::int64_t>()};
}

// Nearly every batch has none, and is not to pay for a join.
template <typename Predicate>
bool Any(const BatchRequest& request, const Predicate& predicate) {
  return std::any_of(request.rows->begin(), request.rows->end(),
                     [&](const StagedRow& staged) { return predicate(staged.row); });
}

bool SpeaksAgainst(const core::Row& row) {
  return row.standing == core::Standing::kWrong || row.standing == core::Standing::kFailed ||
         std::isinf(row.us);
}

}  // namespace

void FindAccused(pqxx::work& transaction, const BatchRequest& request, BatchOutcome& outcome) {
  const auto wrong = [](const core::Row& row) { return row.standing == core::Standing::kWrong; };
  if (!Any(request, wrong)) return;
  for (const auto& row : transaction.exec_params(sql::find_objections, outcome.run, false)) {
    outcome.withdrawn.push_back(ReadObjection(row, outcome));
  }
}

void PlanDoubts(pqxx::work& transaction, const BatchRequest& request, BatchOutcome& outcome) {
  if (!Any(request, SpeaksAgainst)) return;
  std::map<std::pair<std::string, int>, std::vector<const StagedRow*>> targets;
  for (const auto& row : transaction.exec_params(sql::find_objections, outcome.run, true)) {
    outcome.in_doubt.push_back(ReadObjection(row, outcome));
    std::erase_if(outcome.withdrawn,
                  [&](const Objection& it) { return it.row == outcome.in_doubt.back().row; });
    if (row[3].as<bool>()) continue;
    const StagedRow& staged = (*request.rows)[outcome.in_doubt.back().row];
    targets[{staged.row.gfx, staged.row.cu_num}].push_back(&staged);
  }
  if (targets.empty()) return;
  const auto planned = transaction.exec_params1(sql::count_doubt_jobs, request.write.owner)[0];
  auto left = kMostDoubtJobs - std::min(kMostDoubtJobs, planned.as<std::size_t>());
  for (const auto& [target, rows] : targets) {
    const auto open = LockOpenJobs(transaction, target.first, target.second, false);
    auto jobs = request.measure_again(rows, open);
    if (jobs.size() > left) jobs.resize(left);
    left -= jobs.size();
    for (const std::int64_t id : InsertJobs(transaction, jobs, request.write)) {
      outcome.measure_jobs.push_back(id);
    }
  }
}

namespace {

Shrinkage ReadShrinkage(pqxx::work& transaction, std::size_t held) {
  Shrinkage shrinkage;
  shrinkage.held = held;
  for (const auto& row :
       transaction.exec_params(sql::list_going, static_cast<std::int64_t>(kGoingListed))) {
    shrinkage.keys.push_back({row[0].as<std::string>(), row[1].as<std::string>(), row[2].as<int>(),
                              row[3].as<std::string>()});
    shrinkage.going = row[4].as<std::size_t>();
  }
  return shrinkage;
}

}  // namespace

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
  const auto held =
      transaction.exec_params1(sql::find_going, source.id, *source.head)[0].as<std::size_t>();
  Shrinkage shrinkage = ReadShrinkage(transaction, held);
  if (shrinkage.going * kShrinkShare <= held) return std::optional<Shrinkage>();
  return std::optional(std::move(shrinkage));
}

std::optional<Loss> FindLoss(pqxx::work& transaction, const Writer& by, std::int64_t batch,
                             const FamilyOutcomes& families) {
  for (const auto& [family, outcome] : families) {
    if (outcome.lost == 0) continue;
    const auto day = transaction.exec_params1(
        sql::note_loss, by.owner, family, static_cast<std::int64_t>(outcome.lost),
        static_cast<std::int64_t>(outcome.emptied), batch, by.admin);
    for (const int place : {1, 3, 5}) {  // of all rows, of other owners', of upstream's
      const auto held = day[place].as<std::size_t>(), lost = day[place + 1].as<std::size_t>();
      if (lost > kFewKeys && lost * kShrinkShare > held)
        return Loss{day[0].as<std::string>(), place == 5 ? "all owners" : by.owner, held, lost};
    }
  }
  return std::nullopt;
}

core::Error LossError(const Loss& loss) {
  return {"would_shrink",
          fmt::format("{} serves {} keys, and with this write {} would have lost their row or its "
                      "time by writes of {} within a day, more than a tenth; nothing was stored; "
                      "where that is meant, an admin's key says allow_shrink=1",
                      loss.family, loss.held, loss.lost, loss.owner)};
}

}  // namespace tunehub::server
