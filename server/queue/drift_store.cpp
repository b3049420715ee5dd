#include "server/queue/drift_store.h"

#include "sql.h"

namespace tunehub::server {

void NoteDrift(pqxx::work& transaction, const std::string& runs) {
  transaction.exec_params0(sql::note_drift, runs);
}

std::vector<DeviceDrift> DriftStore::List() {
  std::vector<DeviceDrift> devices;
  for (const auto& row :
       Query(pool_, sql::list_drift, kDriftDays, static_cast<std::int64_t>(kDriftDevices))) {
    const auto device = row[0].as<std::string>();
    if (devices.empty() || devices.back().device != device)
      devices.push_back({device, row[1].as<std::string>(), {}});
    devices.back().days.push_back(
        {row[2].as<std::string>(), row[3].as<double>(), row[4].as<std::int64_t>()});
  }
  return devices;
}

}  // namespace tunehub::server
