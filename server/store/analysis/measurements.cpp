#include "server/store/analysis/measurements.h"

#include <fmt/format.h>

#include "server/store/connection/transaction.h"
#include "sql.h"

namespace tunehub::store {
namespace {

CandidateRecord ToCandidate(const pqxx::row& row) {
  CandidateRecord candidate;
  candidate.key = core::ParseUuid(row[0].as<std::string>());
  candidate.provider = static_cast<registry::Provider>(row[1].as<int>());
  candidate.contender = {static_cast<core::Standing>(row[2].as<int>()),
                         ReadDouble(row[3]),
                         ReadDouble(row[4]),
                         core::ParseUuid(row[5].as<std::string>()),
                         row[6].as<std::int64_t>(),
                         core::ParseUuid(row[7].as<std::string>())};
  candidate.contender.rank = row[10].as<int>();
  candidate.line = row[8].as<std::string>();
  candidate.family_version = row[9].as<int>();
  return candidate;
}

template <typename... Parameters>
void StreamCandidates(ConnectionPool& pool, std::string_view statement, const VisitCandidate& visit,
                      const Parameters&... parameters) {
  const auto see = [&](const pqxx::row& row) {
    CandidateRecord candidate = ToCandidate(row);
    visit(candidate);
    return true;
  };
  Stream(pool, statement, see, parameters...);
}

MeasurementRecord ReadMeasurement(const pqxx::row& row) {
  MeasurementRecord measurement;
  measurement.id = row["id"].as<std::int64_t>();
  measurement.run = row["run"].as<std::int64_t>();
  measurement.candidate = core::ParseUuid(row["candidate"].as<std::string>());
  measurement.provider = static_cast<registry::Provider>(row["provider"].as<int>());
  measurement.us = ReadDouble(row["us"]);
  measurement.error = ReadDouble(row["error"]);
  measurement.standing = static_cast<core::Standing>(row["standing"].as<int>());
  measurement.reason = row["reason"].as<std::string>();
  measurement.line = row["line"].as<std::string>();
  measurement.evidence = row["evidence"].as<std::string>();
  measurement.family_version = row["family_version"].as<int>();
  measurement.is_default = row["is_default"].as<bool>();
  measurement.searched = row["searched"].as<bool>();
  measurement.reverted = row["reverted"].as<bool>();
  measurement.competes = row["competes"].as<bool>();
  measurement.withdraws = row["withdraws"].as<bool>();
  measurement.doubts = row["doubts"].as<bool>();
  if (const auto won = ReadOptional<int>(row["won"])) {
    measurement.won = static_cast<core::WinReason>(*won);
  }
  measurement.baseline = row["baseline"].as<bool>();
  return measurement;
}

std::vector<ProvenanceRecord> ReadProvenances(const pqxx::result& found) {
  std::vector<ProvenanceRecord> runs;
  for (const auto& row : found) {
    runs.push_back(
        {row[0].as<std::int64_t>(), row[1].as<std::int64_t>(), row[2].as<std::string>()});
  }
  return runs;
}

}  // namespace

void MeasurementStore::VisitCandidates(std::int16_t family, const VisitCandidate& visit) {
  StreamCandidates(pool_, sql::read_candidates, visit, family);
}

void MeasurementStore::VisitCandidates(const std::vector<core::Hash128>& keys,
                                       const VisitCandidate& visit) {
  if (keys.empty()) return;
  std::string list = "{";
  for (const core::Hash128& key : keys) list += (list.size() > 1 ? "," : "") + key.Uuid();
  StreamCandidates(pool_, sql::read_candidates_of_keys, visit, list + "}");
}

void MeasurementStore::VisitCandidates(std::int16_t family, const std::vector<std::int64_t>& runs,
                                       const VisitCandidate& visit) {
  if (runs.empty()) return;
  StreamCandidates(pool_, sql::read_candidates_of_runs, visit, family,
                   fmt::format("{{{}}}", fmt::join(runs, ",")));
}

std::vector<ProvenanceRecord> MeasurementStore::ReadProvenance() {
  return ReadProvenances(Query(pool_, sql::read_run_provenance));
}

std::vector<ProvenanceRecord> MeasurementStore::ReadProvenance(
    const std::vector<std::int64_t>& runs) {
  if (runs.empty()) return {};
  return ReadProvenances(
      Query(pool_, sql::read_provenance_of_runs, fmt::format("{{{}}}", fmt::join(runs, ","))));
}

KeyMeasurements MeasurementStore::OfKey(std::int16_t family, const core::Hash128& key,
                                        std::size_t most) {
  KeyMeasurements measurements;
  for (const auto& row :
       Query(pool_, sql::read_measurements, key.Uuid(), family, static_cast<std::int64_t>(most))) {
    measurements.total = row["total"].as<std::int64_t>();
    measurements.in_doubt = row["in_doubt"].as<bool>();
    measurements.rows.push_back(ReadMeasurement(row));
  }
  return measurements;
}

std::vector<TunedHistoryRecord> MeasurementStore::ReadTunedHistory(const core::Hash128& key,
                                                                   std::size_t most) {
  std::vector<TunedHistoryRecord> history;
  for (const auto& row :
       Query(pool_, sql::read_tuned_history, key.Uuid(), static_cast<std::int64_t>(most))) {
    history.push_back({static_cast<registry::Provider>(row[0].as<int>()), row[1].as<std::int64_t>(),
                       row[2].as<std::int64_t>(), row[3].as<std::int64_t>()});
  }
  return history;
}

}  // namespace tunehub::store
