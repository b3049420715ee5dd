#include "server/store/tables/differences.h"

#include <fmt/core.h>

#include "server/store/connection/transaction.h"
#include "server/store/tables/revisions.h"
#include "sql.h"

namespace tunehub::store {
namespace {

// The seven columns of a state from `first` on; nothing where the key had no row.
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

void RevisionStore::VisitDifferences(std::int16_t family, std::int64_t since,
                                     const std::function<void(DifferenceRecord&)>& visit) {
  constexpr int kBefore = 8, kNow = 15;
  const auto see = [&](const pqxx::row& row) {
    DifferenceRecord it;
    it.key = core::ParseUuid(row["key"].as<std::string>());
    it.provider = static_cast<registry::Provider>(row["provider"].as<int>());
    it.gfx = row["gfx"].as<std::string>();
    it.cu_num = row["cu_num"].as<int>();
    it.revision = row["number"].as<std::int64_t>();
    it.kind = row["kind"].as<std::string>();
    it.cause = row["cause"].as<std::string>();
    it.run = ReadOptional<std::int64_t>(row["run"]);
    it.before = ReadState(row, kBefore);
    it.now = ReadState(row, kNow);
    visit(it);
    return true;
  };
  Stream(pool_, sql::read_differences, see, family, since);
}

std::optional<RevisionBefore> RevisionStore::FindBefore(int days) {
  const auto found = Query(pool_, sql::read_revision_before, days);
  if (found.empty()) return std::nullopt;
  return RevisionBefore{ReadPin(found[0][0], found[0][1]), ReadTime(found[0][2]),
                        found[0][3].as<bool>()};
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
    times.push_back({row[0].as<std::size_t>() - 1, row[1].as<std::int64_t>(), ReadDouble(row[2])});
  }
  return times;
}

}  // namespace tunehub::store
