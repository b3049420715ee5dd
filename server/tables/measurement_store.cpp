#include "server/tables/measurement_store.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "server/db/transaction.h"
#include "sql.h"

namespace tunehub::server {
namespace {

std::string UuidList(const std::vector<core::Hash128>& hashes) {
  std::string list = "{";
  for (const core::Hash128& hash : hashes) list += (list.size() > 1 ? "," : "") + hash.Uuid();
  return list + "}";
}

template <typename T>
std::string ListOf(const std::vector<T>& numbers) {
  return fmt::format("{{{}}}", fmt::join(numbers, ","));
}

// Does the same as ReadDouble without a stream, which is too slow for the rows of a tree.
double NumberOf(const pqxx::field& field) {
  double number = std::numeric_limits<double>::quiet_NaN();
  const std::string_view text = field.c_str();
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::optional<std::string> WantedKeys(const BestWanted& wanted) {
  return wanted.keys ? std::optional(UuidList(*wanted.keys)) : std::nullopt;
}

BestRecord ReadBestRow(const pqxx::row& row) {
  return {core::ParseUuid(row[0].as<std::string>()),
          static_cast<Provider>(row[1].as<int>()),
          static_cast<core::Standing>(row[2].as<int>()),
          row[3].as<int>(),
          ReadOptional<std::string>(row[4]),
          row[5].as<int>(0),
          row[6].as<bool>(),
          row[7].as<bool>(),
          row[8].as<std::size_t>()};
}

// Winners fit into memory, like served rows. Without a cursor, PostgreSQL may read in parallel.
std::vector<BestRecord> ReadBestRows(const pqxx::result& found) {
  std::vector<BestRecord> best;
  best.reserve(static_cast<std::size_t>(found.size()));
  for (const auto& row : found) best.push_back(ReadBestRow(row));
  return best;
}

MeasurementRecord ReadMeasurement(const pqxx::row& row) {
  MeasurementRecord measurement;
  measurement.id = row["id"].as<std::int64_t>();
  measurement.run = row["run"].as<std::int64_t>();
  measurement.candidate = core::ParseUuid(row["candidate"].as<std::string>());
  measurement.provider = static_cast<Provider>(row["provider"].as<int>());
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
  measurement.bounds = {ReadDouble(row["low"]), ReadDouble(row["high"])};
  measurement.compared_us = ReadDouble(row["by_us"]);
  measurement.compared_bounds = {ReadDouble(row["by_low"]), ReadDouble(row["by_high"])};
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

void MeasurementStore::VisitTimes(std::int16_t family, const TimesWanted& wanted,
                                  const VisitTime& visit) {
  std::optional<std::string> up_to;
  if (wanted.up_to) up_to = wanted.up_to->Uuid();
  const auto see = [&](const pqxx::row& row) {
    TimeRecord record{core::ParseUuid(row[0].as<std::string>()),
                      row[1].as<std::string>(),
                      row[2].as<int>(),
                      ReadDouble(row[3]),
                      row[4].as<std::string>(),
                      row[5].as<int>(),
                      row[6].as<bool>()};
    visit(record);
    return true;
  };
  Stream(pool_, sql::read_times, see, family, wanted.engine_says, wanted.gfx, wanted.cu_num, up_to);
}

void MeasurementStore::VisitChoiceTimes(std::int16_t family, bool engine_says,
                                        const std::vector<core::Hash128>& candidates,
                                        const VisitChoice& visit) {
  const auto see = [&](const pqxx::row& row) {
    ChoiceTime record{core::ParseUuid(row[0].as<std::string>()),
                      static_cast<Provider>(row[1].as<int>()),
                      core::ParseUuid(row[2].as<std::string>()),
                      ReadDouble(row[3]),
                      row[4].as<bool>(),
                      row[5].as<bool>(),
                      row[6].as<bool>(),
                      row[7].as<std::string>()};
    visit(record);
    return true;
  };
  Stream(pool_, sql::read_choice_times, see, family, engine_says, UuidList(candidates));
}

bool MeasurementStore::HasSeveral(std::int16_t family, const std::string& gfx, int cu_num) {
  return Query(pool_, sql::has_several, family, gfx, cu_num)[0][0].as<bool>();
}

void MeasurementStore::VisitRunTimes(const std::vector<std::int16_t>& families,
                                     const std::vector<std::int64_t>& runs,
                                     const VisitRunTime& visit) {
  if (runs.empty()) return;
  const auto see = [&](const pqxx::row& row) {
    return visit(RunTimeRecord{row[0].as<std::int16_t>(), row[1].c_str(), row[2].as<int>(),
                               NumberOf(row[3]), static_cast<core::Standing>(row[4].as<int>()),
                               row[5].c_str(), row[6].as<int>(), NumberOf(row[7])});
  };
  Stream(pool_, sql::read_run_times, see, ListOf(families), ListOf(runs));
}

std::string MeasurementStore::RunStamp(const std::vector<std::int64_t>& runs) {
  return Query(pool_, sql::read_run_stamp, ListOf(runs))[0][0].as<std::string>();
}

std::vector<CandidateLine> MeasurementStore::ReadCandidates(std::int16_t family) {
  std::vector<CandidateLine> lines;
  for (const auto& row : Query(pool_, sql::read_candidate_lines, family)) {
    lines.push_back(
        {core::ParseUuid(row[0].as<std::string>()), row[1].as<int>(), row[2].as<std::string>()});
  }
  return lines;
}

std::vector<BestRecord> MeasurementStore::ReadBest(std::int16_t family, const BestWanted& wanted) {
  return ReadBestRows(Query(pool_, sql::read_best, family, UuidList(wanted.candidates),
                            wanted.max_err, WantedKeys(wanted), wanted.known));
}

BestByClass MeasurementStore::ReadBest(std::int16_t family, const BestWanted& wanted,
                                       const RunClasses& runs) {
  std::vector<std::int64_t> all;
  std::vector<std::size_t> classes;
  for (std::size_t i = 0; i < kRunClasses; ++i) {
    all.insert(all.end(), runs.at(i).begin(), runs.at(i).end());
    classes.resize(all.size(), i);
  }
  BestByClass best;
  std::array<std::set<std::pair<core::Hash128, Provider>>, kRunClasses> several;
  if (all.empty()) return best;
  const std::string candidates = UuidList(wanted.candidates);
  for (const auto& row : Query(pool_, sql::read_best_of_runs, family, candidates, wanted.max_err,
                               WantedKeys(wanted), wanted.known, ListOf(all), ListOf(classes),
                               static_cast<int>(kUnknownRuns), wanted.measured)) {
    const auto of = row[9].as<std::size_t>();
    BestRecord record = ReadBestRow(row);
    if (row[10].as<bool>())
      several.at(of).emplace(record.key, record.provider);
    else
      best.at(of).push_back(std::move(record));
  }
  for (std::size_t i = 0; i < kRunClasses; ++i) {
    if (several.at(i).empty()) continue;
    std::vector<core::Hash128> keys;
    for (const auto& [key, provider] : several.at(i)) keys.push_back(key);
    for (BestRecord& it : ReadBestRows(Query(
             pool_, sql::read_best_of_several, family, i < kUnknownRuns ? candidates : "{}",
             wanted.max_err, UuidList(keys), wanted.known, ListOf(runs.at(i)), wanted.measured))) {
      // One run may have measured the key for another provider.
      if (several.at(i).contains({it.key, it.provider})) best.at(i).push_back(std::move(it));
    }
  }
  return best;
}

std::vector<ProvenanceRecord> MeasurementStore::ReadProvenance() {
  return ReadProvenances(Query(pool_, sql::read_run_provenance));
}

std::vector<ProvenanceRecord> MeasurementStore::ReadProvenance(
    const std::vector<std::int64_t>& runs) {
  if (runs.empty()) return {};
  return ReadProvenances(Query(pool_, sql::read_provenance_of_runs, ListOf(runs)));
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
    history.push_back({static_cast<Provider>(row[0].as<int>()), row[1].as<std::int64_t>(),
                       row[2].as<std::int64_t>(), row[3].as<std::int64_t>()});
  }
  return history;
}

core::Result<std::optional<std::int64_t>> MeasurementStore::FindSource(const std::string& name) {
  const auto found = Query(pool_, sql::find_source, name);
  if (found[0]["imports"].as<std::int64_t>() == 0) {
    return core::Error{"unknown_source",
                       fmt::format("nothing was imported from '{}'", core::Excerpt(name))};
  }
  return ReadOptional<std::int64_t>(found[0]["in_force"]);
}

}  // namespace tunehub::server
