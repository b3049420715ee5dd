// Drift of devices: the times of the same defaults, compared with their first times on the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "server/db/transaction.h"

namespace tunehub::server {

inline constexpr int kDriftDays = 90;
inline constexpr std::size_t kDriftDevices = 100;

struct DriftDay {
  std::string day;        // "2026-01-31", UTC
  double ratio = 1;       // geometric mean of time / first time
  std::int64_t keys = 0;  // the number of compared times
};

struct DeviceDrift {
  std::string device;          // "node1 MI300X 0000:c1:00.0"
  std::string since;           // the day of its first time
  std::vector<DriftDay> days;  // ascending, not empty
};

// Adds the times in the table `stage`. `runs`: StagedBatch::Runs.
void NoteDrift(pqxx::work& transaction, const std::string& runs);

class DriftStore {
 public:
  explicit DriftStore(ConnectionPool& pool) : pool_(pool) {}

  // The days within kDriftDays, by device. At most kDriftDevices: those with the latest days.
  // Throws Unavailable.
  std::vector<DeviceDrift> List();

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::server
