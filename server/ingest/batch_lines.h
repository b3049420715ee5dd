// The lines in which batches wait for their family. One batch at a time writes to a family, so what
// waits meanwhile may go together: whoever comes first in a line leads, and commits for all that it
// takes along.
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

// At most so many batches, and rows, are one group: what comes behind it waits for no more.
inline constexpr std::size_t kMostGrouped = 64;
inline constexpr std::size_t kMostGroupedRows = 20'000;

class BatchLines {
 public:
  explicit BatchLines(BatchStore& store) : store_(store) {}

  // Waits, aside, until the batch was committed, by this thread or another one. Throws Unavailable
  // to each whose batch was in a group, since it may have left open whether they are committed.
  // Whatever else a group fails of is about one of its batches: then each is committed alone.
  core::Result<BatchOutcome> Commit(const BatchRequest& request);
  // Batches that nobody commits yet.
  std::size_t waiting() const;

 private:
  struct Place;
  struct Line {
    std::vector<Place*> places;  // in the order in which they came
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
