#include "server/store/analysis/measurements.h"

#include <fmt/format.h>

#include "server/store/connection/transaction.h"
#include "sql.h"

namespace tunehub::store {
namespace {

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
  measurement.competes = row["competes"].as<bool>();
  measurement.withdraws = row["withdraws"].as<bool>();
  measurement.doubts = row["doubts"].as<bool>();
  if (const auto won = ReadOptional<int>(row["won"])) {
    measurement.won = static_cast<core::WinReason>(*won);
  }
  measurement.baseline = row["baseline"].as<bool>();
  return measurement;
}

}  // namespace

std::vector<CandidateRecord> MeasurementStore::ReadCandidates(std::int16_t family) {
  return ToCandidates(Query(pool_, sql::read_candidates, family));
}

std::vector<CandidateRecord> MeasurementStore::ReadCandidates(
    const std::vector<core::Hash128>& keys) {
  if (keys.empty()) return {};
  std::string list = "{";
  for (const core::Hash128& key : keys) list += (list.size() > 1 ? "," : "") + key.Uuid();
  return ToCandidates(Query(pool_, sql::read_candidates_of_keys, list + "}"));
}

std::vector<CandidateRecord> MeasurementStore::ReadCandidates(
    std::int16_t family, const std::vector<std::int64_t>& runs) {
  if (runs.empty()) return {};
  return ToCandidates(Query(pool_, sql::read_candidates_of_runs, family,
                            fmt::format("{{{}}}", fmt::join(runs, ","))));
}

std::vector<ProvenanceRecord> MeasurementStore::ReadProvenance() {
  std::vector<ProvenanceRecord> runs;
  for (const auto& row : Query(pool_, sql::read_run_provenance)) {
    runs.push_back(
        {row[0].as<std::int64_t>(), row[1].as<std::int64_t>(), row[2].as<std::string>()});
  }
  return runs;
}

std::vector<MeasurementRecord> MeasurementStore::OfKey(std::int16_t family,
                                                       const core::Hash128& key) {
  std::vector<MeasurementRecord> measurements;
  for (const auto& row : Query(pool_, sql::read_measurements, key.Uuid(), family)) {
    measurements.push_back(ReadMeasurement(row));
  }
  return measurements;
}

std::vector<TunedHistoryRecord> MeasurementStore::ReadTunedHistory(const core::Hash128& key) {
  std::vector<TunedHistoryRecord> history;
  for (const auto& row : Query(pool_, sql::read_tuned_history, key.Uuid())) {
    history.push_back({static_cast<registry::Provider>(row[0].as<int>()), row[1].as<std::int64_t>(),
                       row[2].as<std::int64_t>(), row[3].as<std::int64_t>()});
  }
  return history;
}

}  // namespace tunehub::store
