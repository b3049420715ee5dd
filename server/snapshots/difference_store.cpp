#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "core/base/read_json.h"
#include "core/base/text.h"
#include "server/db/transaction.h"
#include "server/snapshots/revision_records.h"
#include "server/snapshots/revision_store.h"
#include "sql.h"

namespace tunehub::server {
namespace {

ChangeLine ReadLine(const pqxx::row& row) {
  ChangeLine line;
  line.first = row["first"].as<std::int64_t>();
  line.last = row["last"].as<std::int64_t>();
  line.latest = ReadTime(row["latest"]);
  line.kind = row["kind"].as<std::string>();
  line.cause = row["cause"].as<std::string>();
  line.runs = core::SureJson(row["listed"].as<std::string>()).get<std::vector<std::int64_t>>();
  line.run_count = row["runs"].as<std::int64_t>();
  return line;
}

// Reads a state from seven columns; absent: the shape key had no row in that state.
std::optional<StateRow> ReadState(const pqxx::row& row, int first) {
  if (row[first + 2].is_null()) return std::nullopt;
  StateRow state;
  state.standing = static_cast<core::Standing>(row[first].as<int>());
  state.baseline = row[first + 1].as<bool>(false);
  state.line = row[first + 2].as<std::string>();
  state.us = ReadDouble(row[first + 3]);
  state.family_version = row[first + 4].as<int>();
  state.run = row[first + 5].as<std::int64_t>();
  state.trusted = row[first + 6].as<bool>();
  return state;
}

}  // namespace

std::vector<TargetHead> RevisionStore::ReadTargetHeads(std::int16_t family,
                                                       std::int64_t after_change,
                                                       bool engine_says) {
  const auto found = Query(pool_, sql::read_target_heads, family, after_change, engine_says);
  return core::Mapped(found, [](const pqxx::row& row) {
    return TargetHead{row[0].as<std::string>(), row[1].as<int>(), row[2].as<std::int64_t>(),
                      ReadPin(row[3], row[4]), ReadTime(row[5])};
  });
}

std::vector<ChangeLine> RevisionStore::ListChanges(int days, std::size_t limit,
                                                   std::size_t most_runs) {
  std::vector<ChangeLine> lines;
  for (const auto& row : Query(pool_, sql::list_changes, days, static_cast<std::int64_t>(limit),
                               static_cast<int>(most_runs))) {
    if (lines.empty() || lines.back().last != row["last"].as<std::int64_t>()) {
      lines.push_back(ReadLine(row));
    }
    if (row["family"].is_null()) continue;
    lines.back().keys[row["family"].as<std::int16_t>()] = row["keys"].as<std::int64_t>();
  }
  return lines;
}

std::vector<EarlierTime> RevisionStore::ListEarlierTimes(int days) {
  return core::Mapped(Query(pool_, sql::list_earlier_times, days), [](const pqxx::row& row) {
    return EarlierTime{row[0].as<std::int16_t>(), core::ParseUuid(row[1].as<std::string>()),
                       row[2].as<double>()};
  });
}

void RevisionStore::VisitDifferences(std::int16_t family, std::int64_t from, std::int64_t to,
                                     const std::function<void(DifferenceRecord&)>& visit) {
  constexpr int kBefore = 8, kAfter = 15;
  const auto see = [&](const pqxx::row& row) {
    DifferenceRecord it;
    it.key = core::ParseUuid(row["key"].as<std::string>());
    it.provider = static_cast<Provider>(row["provider"].as<int>());
    it.gfx = row["gfx"].as<std::string>();
    it.cu_num = row["cu_num"].as<int>();
    it.change = {row["number"].as<std::int64_t>(), row["kind"].as<std::string>(),
                 row["cause"].as<std::string>(), ReadOptional<std::int64_t>(row["run"])};
    it.before = ReadState(row, kBefore);
    it.after = ReadState(row, kAfter);
    visit(it);
    return true;
  };
  Stream(pool_, sql::read_differences, see, family, from, to);
}

std::optional<RevisionBefore> RevisionStore::FindBefore(const std::string& time, int days) {
  const auto found = Query(pool_, sql::read_revision_before,
                           time.empty() ? std::optional<std::string>() : time, days);
  if (found.empty()) return std::nullopt;
  return RevisionBefore{ReadPin(found[0][0], found[0][1]), ReadTime(found[0][2]),
                        found[0][3].as<bool>()};
}

std::pair<std::int64_t, std::int64_t> RevisionStore::FindAroundRun(std::int64_t run) {
  const auto found = Query(pool_, sql::read_run_ends, run);
  return {found[0][0].as<std::int64_t>(), found[0][1].as<std::int64_t>()};
}

std::vector<WinnerTime> RevisionStore::ReadWinnerTimes(const std::vector<KeyOfProvider>& keys,
                                                       int most) {
  std::vector<WinnerTime> times;
  if (keys.empty()) return times;
  std::string hashes, providers;
  for (const auto& [key, provider] : keys) {
    hashes += (hashes.empty() ? "{" : ",") + key.Uuid();
    providers += fmt::format("{}{}", providers.empty() ? '{' : ',', static_cast<int>(provider));
  }
  for (const auto& row :
       Query(pool_, sql::read_winner_times, hashes + "}", providers + "}", most)) {
    times.push_back({row[0].as<std::size_t>() - 1,
                     row[1].as<std::int64_t>(),
                     ReadDouble(row[2]),
                     row[3].as<std::int64_t>(0),
                     {ReadDouble(row[4]), ReadDouble(row[5])}});
  }
  return times;
}

}  // namespace tunehub::server
