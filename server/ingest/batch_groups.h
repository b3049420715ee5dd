// One line of waiting batches per family, since one writer at a time commits to a family. The first
// batch in a line leads and commits for the batches that join its group.
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

// Limits of one group. Batches behind it wait for the next one.
inline constexpr std::size_t kMostGrouped = 64;
inline constexpr std::size_t kMostGroupedRows = 20'000;

class BatchLines {
 public:
  explicit BatchLines(BatchStore& store) : store_(store) {}

  // Waits, aside, until this or another thread has committed the batch. Throws Unavailable to each
  // batch of a group, since the commit may have happened. After any other failure of the group each
  // of its batches is committed alone.
  core::Result<BatchOutcome> Commit(const BatchRequest& request);
  // Batches that no group has taken yet.
  std::size_t waiting() const;

 private:
  struct Place;
  struct Line {
    std::vector<Place*> places;  // in order of arrival
    bool led = false;
  };

  static std::vector<Place*> TakeGroup(Line& line);
  static void PassOn(Line& line);
  GroupAnswer Join(const BatchRequest& request);
  void CommitGroup(const std::vector<Place*>& group);
  void Await(Place& own);
  std::vector<Place*> Begin(Line& line, Place& own);
  void Lead(Line& line, Place& own);

  BatchStore& store_;
  mutable std::mutex mutex_;
  std::map<std::int16_t, Line> lines_;  // by family; guarded by mutex_
};

}  // namespace tunehub::server
