// The stored points in memory: there are a few hundred, and each has what differs from the one
// before.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "server/store/store.h"

namespace tunehub::service {

struct HistoryPoint {
  store::PointRecord record;
  std::shared_ptr<const store::PointRows> changes;
};

struct PointHistory {
  std::vector<HistoryPoint> points;  // in their order

  std::int64_t newest() const { return points.empty() ? 0 : points.back().record.id; }
  // The whole state after all of them.
  store::PointRows State() const;
};

class PointHistories {
 public:
  explicit PointHistories(store::Store& store) : store_(store) {}

  // With the points that there are now. While the database is gone, those that were read last.
  // Throws Unavailable where none were.
  std::shared_ptr<const PointHistory> Get();

 private:
  std::shared_ptr<const PointHistory> Read(const PointHistory* known);

  store::Store& store_;
  std::mutex mutex_;  // also while they are read: who waits would read the same
  std::shared_ptr<const PointHistory> known_;
};

}  // namespace tunehub::service
