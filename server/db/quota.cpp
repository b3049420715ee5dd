#include "server/db/quota.h"

#include <fmt/core.h>

#include <map>
#include <nlohmann/json.hpp>

#include "server/db/transaction.h"
#include "sql.h"

namespace tunehub::server {
namespace {

DayOfKey ReadDay(const pqxx::row& row) {
  DayOfKey day{{}, row["ends"].as<std::string>()};
  for (const Quota& quota : kQuotas) day.used.*quota.count = row[quota.name].as<std::int64_t>();
  return day;
}

}  // namespace

core::Status Charge(pqxx::work& transaction, const std::vector<Charged>& writes) {
  nlohmann::json list = nlohmann::json::array();
  std::map<std::int64_t, const Writer*> limited;
  for (const Charged& it : writes) {
    if (it.by->api_key == 0) continue;
    nlohmann::json one = {{"api_key", it.by->api_key}};
    for (const Quota& quota : kQuotas) one[quota.name] = it.used.*quota.count;
    list.push_back(std::move(one));
    if (it.by->quotas) limited[it.by->api_key] = it.by;
  }
  if (list.empty()) return core::Ok();
  for (const auto& row : transaction.exec_params(sql::charge, list.dump())) {
    const auto by = limited.find(row["api_key"].as<std::int64_t>());
    if (by == limited.end()) continue;
    const DayOfKey day = ReadDay(row);
    for (const Quota& quota : kQuotas) {
      const std::int64_t limit = (*by->second->quotas).*quota.count, sum = day.used.*quota.count;
      if (limit == 0 || sum <= limit) continue;
      return core::Error{
          "over_quota",
          fmt::format("nothing was stored, because of {}: a key may write {} {} a day, but with "
                      "this request key {} would have written {}. The day ends at {}",
                      quota.setting, limit, quota.name, by->first, sum, day.ends)};
    }
  }
  return core::Ok();
}

DayOfKey ReadDayOfKey(ConnectionPool& pool, std::int64_t api_key) {
  return ReadDay(Query(pool, sql::read_usage, api_key)[0]);
}

}  // namespace tunehub::server
