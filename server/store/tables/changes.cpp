#include "server/store/tables/changes.h"

#include "core/row/cell.h"
#include "server/store/connection/transaction.h"
#include "server/store/tables/revisions.h"
#include "sql.h"

namespace tunehub::store {
namespace {

// "{12,7}"
std::vector<std::int64_t> ReadIds(std::string_view array) {
  std::vector<std::int64_t> ids;
  for (std::string_view rest = array.substr(1, array.size() - 2); !rest.empty();) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    if (const auto id = core::ParseInt64(item)) ids.push_back(*id);
  }
  return ids;
}

ChangeLine ReadLine(const pqxx::row& row) {
  ChangeLine line;
  line.first = row["first"].as<std::int64_t>();
  line.last = row["last"].as<std::int64_t>();
  line.latest = ReadTime(row["latest"]);
  line.kind = row["kind"].as<std::string>();
  line.cause = row["cause"].as<std::string>();
  line.runs = ReadIds(row["listed"].as<std::string>());
  line.run_count = row["runs"].as<std::int64_t>();
  return line;
}

}  // namespace

std::vector<TargetHead> RevisionStore::ReadTargetHeads(std::int16_t family,
                                                       std::int64_t after_change,
                                                       bool engine_says) {
  std::vector<TargetHead> heads;
  for (const auto& row : Query(pool_, sql::read_target_heads, family, after_change, engine_says)) {
    heads.push_back({row[0].as<std::string>(), row[1].as<int>(), row[2].as<std::int64_t>(),
                     ReadPin(row[3], row[4]), ReadTime(row[5])});
  }
  return heads;
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
  std::vector<EarlierTime> times;
  for (const auto& row : Query(pool_, sql::list_earlier_times, days)) {
    times.push_back({row[0].as<std::int16_t>(), row[1].as<std::int16_t>(),
                     core::ParseUuid(row[2].as<std::string>()), row[3].as<double>()});
  }
  return times;
}

}  // namespace tunehub::store
