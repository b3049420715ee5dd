#include "server/store/ingest/steps.h"

#include <fmt/core.h>

#include <algorithm>

#include "server/store/connection/transaction.h"
#include "server/store/ingest/choice.h"
#include "server/store/ingest/stage.h"
#include "sql.h"

namespace tunehub::store {
namespace {

// Of the tables that each batch joins with, and of the columns that joins and conditions use. A
// table that a VACUUM holds is left to autovacuum: no batch waits for it, or fails.
constexpr const char* kAnalyseRegistry =
    "ANALYZE (SKIP_LOCKED)"
    " measurement (id, run, key, candidate, us, provider, standing, source, runs),"
    " candidate (key, candidate, run, run_time, us, measurement, provider, standing, owner),"
    " tuned (key, candidate, measurement, change, cu_num, family, provider, standing)";

}  // namespace

void LockFamilies(pqxx::work& transaction, const BatchRequest& request) {
  transaction.exec(request.supersede ? sql::lock_registry : sql::lock_registry_shared);
  // In the order of their numbers, one for all: no deadlock.
  for (const auto& [family, sha256] : request.families) {
    transaction.exec_params(sql::lock_family, family);
  }
}

core::Result<std::map<std::int16_t, int>> FindVersions(pqxx::work& transaction,
                                                       const BatchRequest& request) {
  const auto changed = [](const std::string& what) {
    return core::Error{
        "definitions_changed",
        fmt::format(
            "{} in the database is another one than this server's: restart it with the newer files",
            what)};
  };
  if (transaction.exec1(sql::known_targets)[1].as<std::string>() != request.targets_sha256) {
    return changed("targets.json");
  }
  std::map<std::int16_t, int> versions;
  for (const auto& row : transaction.exec(sql::known_definitions)) {
    const auto family = request.families.find(row[0].as<std::int16_t>());
    if (family == request.families.end()) continue;
    if (row[3].as<std::string>() != family->second) {
      return changed("the family file of " + row[1].as<std::string>());
    }
    versions[family->first] = row[2].as<int>();
  }
  return versions;
}

bool HasSeveralOfAKey(const BatchRequest& request) {
  return std::ranges::any_of(*request.rows, [](const registry::StagedRow& it) {
    return it.best && !it.alone && core::Competes(it.row.standing);
  });
}

bool HoldsTimesAgainstOthers(const BatchRequest& request) {
  return std::ranges::any_of(*request.rows,
                             [](const registry::StagedRow& it) { return it.row.relative; });
}

std::vector<std::int64_t> RebuildCandidates(pqxx::work& transaction) {
  std::vector<std::int64_t> implausible;
  for (const auto& row : transaction.exec(sql::rebuild_candidates))
    implausible.push_back(row[0].as<std::int64_t>());
  return implausible;
}

void NoteOutOfLine(const std::vector<std::int64_t>& implausible, BatchOutcome& outcome) {
  const std::int64_t first = outcome.batch << kBatchIdShift;
  for (const std::int64_t id : implausible) {
    if (id >> kBatchIdShift == outcome.batch)
      outcome.out_of_line.push_back(static_cast<std::size_t>(id - first));
  }
}

bool EnterCandidates(pqxx::work& transaction, bool plain, const std::string& batches) {
  if (!plain) return transaction.exec_params(sql::upsert_candidates, batches).affected_rows() > 0;
  transaction.exec_params(sql::insert_candidates, batches);
  return false;
}

std::size_t StoredOf(const BatchOutcome& outcome) {
  std::size_t stored = 0;
  for (const auto& [family, counts] : outcome.families) stored += counts.stored;
  return stored;
}

void AnalyseGrown(pqxx::work& transaction, std::size_t added) {
  if (added < kAnalyseFrom) return;
  const auto rows = static_cast<std::int64_t>(added);
  if (transaction.exec_params1(sql::is_grown, rows)[0].as<bool>())
    transaction.exec(kAnalyseRegistry);
}

std::string Describe(const BatchRequest& request, const BatchOutcome& outcome) {
  std::size_t changed = 0;
  for (const auto& [family, counts] : outcome.families) changed += counts.changed;
  return fmt::format("{}: run {}, {} rows, {} new, {} keys changed", request.cause, outcome.run,
                     request.rows->size(), StoredOf(outcome), changed);
}

}  // namespace tunehub::store
