#include "server/ingest/run_store.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "core/base/text.h"
#include "server/db/quota.h"
#include "server/db/transaction.h"
#include "server/db/write_once.h"
#include "sql.h"

namespace tunehub::server {
namespace {

RunRecord ReadRunRow(const pqxx::row& row) {
  RunRecord run;
  run.id = row["id"].as<std::int64_t>();
  run.hash = core::ParseUuid(row["hash"].as<std::string>());
  run.started = row["started"].as<std::string>("");
  run.finished = row["finished"].as<std::string>("");
  run.received = row["received"].as<std::string>("");
  run.reverted = row["reverted"].as<std::string>("");
  if (const auto provider = ReadOptional<std::int16_t>(row["provider"])) {
    run.provider = static_cast<Provider>(*provider);
  }
  run.source = row["source"].as<std::string>("");
  run.error_limit = ReadOptional<double>(row["error_limit"]);
  run.provenance = row["provenance"].as<std::string>();
  run.owner = row["owner"].as<std::string>();
  run.trusted = row["trusted"].as<bool>();
  run.confirmed = row["confirmed"].as<bool>();
  run.job = ReadOptional<std::int64_t>(row["job"]);
  run.active = row["active"].as<bool>();
  run.rows = row["rows"].as<std::int64_t>();
  run.stored = row["stored"].as<std::int64_t>();
  run.repeats = ReadOptional<std::int64_t>(row["repeats"]);
  return run;
}

std::vector<RunRecord> SelectRuns(pqxx::transaction_base& transaction, const RunFilter& filter,
                                  std::size_t limit) {
  std::optional<std::string> text;
  if (filter.text) text = core::Lower(*filter.text);
  const auto found = transaction.exec_params(sql::find_runs, filter.id, filter.hash,
                                             filter.before_id, filter.provenance, text, filter.also,
                                             static_cast<std::int64_t>(limit));
  return core::Mapped(found, ReadRunRow);
}

std::optional<std::string> NullIfEmpty(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return text;
}

core::Result<RunRecord> TheRun(std::vector<RunRecord> found, std::int64_t id) {
  if (found.empty()) return core::Error{"unknown_run", fmt::format("unknown run {}", id)};
  return std::move(found[0]);
}

}  // namespace

bool IsTrusted(const RunContent& content, const Writer& by) {
  const bool of_sources = by.limits && !by.limits->sources.empty();
  return by.admin || (of_sources && !content.source.empty());
}

RunRecord InsertRun(pqxx::work& transaction, const RunContent& content, const Writer& by,
                    bool& created) {
  std::optional<std::int16_t> provider;
  if (content.provider) provider = static_cast<std::int16_t>(*content.provider);
  const auto inserted = transaction.exec_params(
      sql::insert_run, content.hash.Uuid(), NullIfEmpty(content.started),
      NullIfEmpty(content.finished), provider, NullIfEmpty(content.source), content.error_limit,
      content.provenance, by.owner, IsTrusted(content, by), content.job);
  created = !inserted.empty();
  return SelectRuns(transaction, {.hash = content.hash.Uuid()}, 1).at(0);
}

core::Result<RunRecord> SelectRun(pqxx::transaction_base& transaction, std::int64_t id) {
  return TheRun(SelectRuns(transaction, {.id = id}, 1), id);
}

void CountRows(pqxx::work& transaction, const std::vector<RunCounts>& counts) {
  nlohmann::json list = nlohmann::json::array();
  for (const RunCounts& it : counts) {
    nlohmann::json one = {{"run", it.run}, {"rows", it.rows}, {"stored", it.stored}};
    if (it.repeats) one["repeats"] = *it.repeats;
    if (!it.digest.empty()) one["digest"] = it.digest;
    list.push_back(std::move(one));
  }
  transaction.exec_params0(sql::count_rows, list.dump());
}

core::Result<RunRecord> RunStore::Create(const RunContent& content, bool& created,
                                         const Writer& by) {
  return InTransaction(pool_, [&](pqxx::work& transaction) -> Ending<RunRecord> {
    RunRecord run = InsertRun(transaction, content, by, created);
    if (!created) return run;
    const Usage used = {.bytes = static_cast<std::int64_t>(content.provenance.size())};
    if (auto within = Charge(transaction, {{&by, used}}); !within.ok()) return within.error();
    Audit(transaction, by, "run create", fmt::format("run {}", run.id));
    return run;
  });
}

std::vector<RunRecord> RunStore::Select(const RunFilter& filter, std::size_t limit) const {
  return pool_.With([&](pqxx::connection& connection) {
    pqxx::nontransaction transaction(connection);
    return SelectRuns(transaction, filter, limit);
  });
}

std::map<std::int64_t, RunTally> RunStore::Count(const std::vector<RunRecord>& runs) const {
  const auto ids = core::Mapped(runs, &RunRecord::id);
  std::map<std::int64_t, RunTally> tallies;
  const std::string asked = fmt::format("{{{}}}", fmt::join(ids, ","));
  for (const auto& row : Query(pool_, sql::count_runs, asked)) {
    RunTally& tally = tallies[row["run"].as<std::int64_t>()];
    tally.won = row["won"].as<std::int64_t>();
    tally.quarantined = row["quarantined"].as<std::int64_t>();
    std::istringstream families(row["families"].as<std::string>());
    for (std::string name; std::getline(families, name, ',');) tally.families.push_back(name);
  }
  return tallies;
}

core::Result<RunRecord> RunStore::Find(std::int64_t id) const {
  return TheRun(Select({.id = id}, 1), id);
}

std::vector<BatchRecord> RunStore::ListBatches(std::int64_t run) const {
  return core::Mapped(Query(pool_, sql::list_batches, run), [](const pqxx::row& row) {
    return BatchRecord{row["id"].as<std::int64_t>(), row["kind"].as<std::string>(),
                       row["received"].as<std::string>(), ReadReceipt(row)};
  });
}

std::vector<RepeatedRun> RunStore::ListRepeated(std::int64_t run) const {
  constexpr const char* kRepeated =
      "SELECT stored_by, count(*) FROM run_row WHERE of_run = $1 AND stored_by <> $1"
      " GROUP BY stored_by ORDER BY 1";
  return core::Mapped(Query(pool_, kRepeated, run), [](const pqxx::row& row) {
    return RepeatedRun{row[0].as<std::int64_t>(), row[1].as<std::int64_t>()};
  });
}

}  // namespace tunehub::server
