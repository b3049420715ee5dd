#include "server/store/analysis/times.h"

#include <fmt/format.h>

#include "server/store/analysis/measurements.h"
#include "server/store/connection/transaction.h"
#include "sql.h"

namespace tunehub::store {

std::vector<TimeRecord> MeasurementStore::ReadTimes(std::int16_t family, bool engine_says) {
  std::vector<TimeRecord> times;
  for (const auto& row : Query(pool_, sql::read_times, family, engine_says)) {
    times.push_back({core::ParseUuid(row[0].as<std::string>()), row[1].as<std::string>(),
                     row[2].as<int>(), ReadDouble(row[3]), row[4].as<std::string>(),
                     row[5].as<int>(), row[6].as<bool>(), row[7].as<bool>(),
                     row[8].as<std::string>()});
  }
  return times;
}

std::vector<RunTimeRecord> MeasurementStore::ReadRunTimes(std::int16_t family,
                                                          const std::vector<std::int64_t>& runs) {
  std::vector<RunTimeRecord> times;
  if (runs.empty()) return times;
  const std::string ids = fmt::format("{{{}}}", fmt::join(runs, ","));
  for (const auto& row : Query(pool_, sql::read_run_times, family, ids)) {
    times.push_back({row[0].as<std::string>(), row[1].as<int>(),
                     core::ParseUuid(row[2].as<std::string>()), ReadDouble(row[3]),
                     static_cast<core::Standing>(row[4].as<int>()), row[5].as<std::string>(),
                     row[6].as<int>()});
  }
  return times;
}

}  // namespace tunehub::store
