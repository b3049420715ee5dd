// Quotas of an API key: how much it may write in a day (UTC). All servers count in the database.
#pragma once

#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "server/db/writer.h"

namespace tunehub::server {

class ConnectionPool;

struct Quota {
  const char* name;     // the name in the answer to GET /keys/self
  const char* setting;  // the setting with its limit
  std::int64_t Usage::*count;
};
inline constexpr Quota kQuotas[] = {{"rows", "quota_rows", &Usage::rows},
                                    {"demand", "quota_demand", &Usage::demand},
                                    {"bytes", "quota_mib", &Usage::bytes},
                                    {"keys", "quota_keys", &Usage::keys}};

struct Charged {
  const Writer* by;
  Usage used;
};

// Counts writes. Call it as the last statement of a transaction, because the rows of the API keys
// stay locked until the end. Errors: over_quota, with the limit, its value and the end of the day.
// After an error the caller must roll back.
core::Status Charge(pqxx::work& transaction, const std::vector<Charged>& writes);

struct DayOfKey {
  Usage used;
  std::string ends;  // RFC 3339
};
DayOfKey ReadDayOfKey(ConnectionPool& pool, std::int64_t api_key);

}  // namespace tunehub::server
