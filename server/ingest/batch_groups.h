// Queues of batches that wait for the same family. Only one transaction at a time writes to a
// family. So the waiting batches may share the next transaction. The thread of a queue's first
// batch commits the whole group, with one connection. If each batch waited in the database for the
// family's lock, the batches would occupy all connections.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "core/base/result.h"
#include "server/ingest/batch_records.h"
#include "server/ingest/batch_store.h"

namespace tunehub::server {

// Limits of one group. Further batches wait for the next group.
inline constexpr std::size_t kMostGrouped = 64;
inline constexpr std::size_t kMostGroupedRows = 20'000;

class BatchGroups {
 public:
  explicit BatchGroups(BatchStore& store) : store_(store) {}

  // Waits until this thread or another thread has committed the batch. A waiting thread gives up
  // its slot in its pool. If the database fails during the commit of a group, throws Unavailable
  // for each batch of the group. (The commit may have happened.) After any other failure of a
  // group, its batches commit one by one. An import writes to several families, so it has no queue.
  core::Result<BatchOutcome> Commit(const BatchRequest& request);
  // Returns the number of batches that are not in a group yet.
  std::size_t waiting() const;

 private:
  struct Place;
  struct FamilyQueue {
    std::vector<Place*> places;  // in order of arrival
    bool led = false;
  };

  static std::vector<Place*> TakeGroup(FamilyQueue& queue);
  static void PassOn(FamilyQueue& queue);
  void CommitTogether(const std::vector<Place*>& group);
  void CommitGroup(const std::vector<Place*>& group);
  void Await(Place& own);
  std::vector<Place*> Begin(FamilyQueue& queue, Place& own);
  void Lead(FamilyQueue& queue, Place& own);

  BatchStore& store_;
  mutable std::mutex mutex_;
  std::map<std::int16_t, FamilyQueue> queues_;  // by family; guarded by mutex_
};

}  // namespace tunehub::server
