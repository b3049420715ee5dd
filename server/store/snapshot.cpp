// Reads of what is served now, each in one snapshot of the database.
#include "server/store/store.h"
#include "server/store/transaction.h"
#include "sql.h"

namespace tunehub::store {
namespace {

using Snapshot = pqxx::transaction<pqxx::repeatable_read, pqxx::read_only>;

std::string Text(std::string_view statement) {
  return std::string(statement);
}

TunedRecord ReadTuned(const pqxx::row& row) {
  TunedRecord tuned;
  tuned.key = core::ParseUuid(row[0].as<std::string>());
  tuned.order = ReadBytes(row[1]);
  tuned.provider = static_cast<registry::Provider>(row[4].as<int>());
  tuned.served = !row[7].is_null();
  if (!tuned.served) return tuned;
  tuned.gfx = row[2].as<std::string>();
  tuned.cu_num = row[3].as<int>();
  tuned.standing = static_cast<core::Standing>(row[5].as<int>());
  tuned.line = row[7].as<std::string>();
  tuned.us = ReadDouble(row[8]);
  tuned.family_version = row[9].as<int>();
  tuned.baseline = row[10].as<bool>();
  return tuned;
}

std::vector<CandidateRecord> ToCandidates(const pqxx::result& rows) {
  std::vector<CandidateRecord> candidates;
  candidates.reserve(static_cast<std::size_t>(rows.size()));
  for (const auto& row : rows) {
    CandidateRecord candidate;
    candidate.key = core::ParseUuid(row[0].as<std::string>());
    candidate.provider = static_cast<registry::Provider>(row[1].as<int>());
    candidate.contender = {static_cast<core::Standing>(row[2].as<int>()),
                           ReadDouble(row[3]),
                           ReadDouble(row[4]),
                           core::ParseUuid(row[5].as<std::string>()),
                           row[6].as<std::int64_t>(),
                           core::ParseUuid(row[7].as<std::string>())};
    candidate.line = row[8].as<std::string>();
    candidate.family_version = row[9].as<int>();
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

Heads ReadHeadsIn(pqxx::transaction_base& transaction) {
  Heads heads;
  const auto registry = transaction.exec1(Text(sql::read_heads));
  heads.revision = registry[0].as<std::int64_t>();
  heads.evidence = registry[1].as<std::int64_t>();
  for (const auto& row : transaction.exec(Text(sql::read_family_heads))) {
    heads.families[row[0].as<std::int16_t>()] = row[1].as<std::int64_t>();
  }
  return heads;
}

}  // namespace

SnapshotDelta Store::ReadSnapshot(std::int16_t family, std::int64_t after_change) {
  return pool_->With([&](pqxx::connection& connection) {
    Snapshot transaction(connection);
    SnapshotDelta delta;
    const Heads heads = ReadHeadsIn(transaction);
    delta.revision = heads.revision;
    delta.evidence = heads.evidence;
    const auto head = heads.families.find(family);
    delta.family_revision = head == heads.families.end() ? 0 : head->second;
    delta.change = after_change;
    for (const auto& row : transaction.exec("SELECT id, version FROM family")) {
      if (row[0].as<std::int16_t>() == family) delta.family_version = row[1].as<int>();
    }
    const auto rows = transaction.exec_params(Text(sql::read_tuned), family, after_change);
    delta.rows.reserve(rows.size());
    for (const auto& row : rows) {
      delta.change = std::max(delta.change, row[6].as<std::int64_t>());
      delta.rows.push_back(ReadTuned(row));
    }
    return delta;
  });
}

Heads Store::ReadHeads() {
  return pool_->With([&](pqxx::connection& connection) {
    Snapshot transaction(connection);
    return ReadHeadsIn(transaction);
  });
}

std::vector<CandidateRecord> Store::ReadCandidates(std::int16_t family) {
  return ToCandidates(Query(*pool_, sql::read_candidates, family));
}

std::vector<CandidateRecord> Store::ReadCandidates(const std::vector<core::Hash128>& keys) {
  if (keys.empty()) return {};
  std::string list = "{";
  for (const core::Hash128& key : keys) list += (list.size() > 1 ? "," : "") + key.Uuid();
  return ToCandidates(Query(*pool_, sql::read_candidates_of_keys, list + "}"));
}

std::vector<CandidateRecord> Store::ReadCandidates(std::int16_t family,
                                                   const std::vector<std::int64_t>& runs) {
  if (runs.empty()) return {};
  std::string list = "{";
  for (const std::int64_t run : runs) list += (list.size() > 1 ? "," : "") + std::to_string(run);
  return ToCandidates(Query(*pool_, sql::read_candidates_of_runs, family, list + "}"));
}

std::vector<ProvenanceRecord> Store::ReadProvenance() {
  std::vector<ProvenanceRecord> runs;
  for (const auto& row : Query(*pool_, sql::read_run_provenance)) {
    runs.push_back(
        {row[0].as<std::int64_t>(), row[1].as<std::int64_t>(), row[2].as<std::string>()});
  }
  return runs;
}

}  // namespace tunehub::store
