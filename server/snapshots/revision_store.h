// Served rows, now or at a revision, and their changes. Every call may throw Unavailable.
// Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "server/snapshots/revision_records.h"

namespace tunehub::server {

class ConnectionPool;

class RevisionStore {
 public:
  explicit RevisionStore(ConnectionPool& pool) : pool_(pool) {}

  // The family's tuned rows that changed after the batch `after_change` (0: all).
  using ReadDelta = std::function<SnapshotDelta(std::int16_t family, std::int64_t after_change)>;
  // Reads the heads, with the current token of revision `known`, and calls `visit`. In `visit`,
  // calls of `read` use the same snapshot of the database. Other queries take a second connection.
  void AtOneMoment(std::int64_t known,
                   const std::function<void(const Heads& heads, const ReadDelta& read)>& visit);
  // The rows in force at a revision. Errors: unknown_revision, revision_gone (the number has
  // another token or no longer exists).
  core::Result<PastTable> ReadPast(std::int16_t family, const core::Pin& revision);
  // As above, but only for these shape keys, by index. Absent: the query would add too many keys,
  // or the server listed the keys from a lost history.
  core::Result<std::optional<PastTable>> ReadPast(std::int16_t family, const core::Pin& revision,
                                                  const PastKeys& keys);
  // As ReadPast, without rows.
  core::Result<PastHead> ReadPastHead(std::int16_t family, const core::Pin& revision);
  void StoreBodyDigest(std::int16_t family, const core::Pin& revision, const std::string& sha256);
  // The heads, with the current token of revision `known`.
  Heads ReadHeads(std::int64_t known = 0) const;
  // The last revision that changed the family while this file was in force; number 0: no revision
  // did. Absent: the family never had that file.
  std::optional<PastHead> FindLastOf(std::int16_t family, const std::string& sha256);
  // The revision with its token. Errors: those of ReadPast.
  core::Result<core::Pin> Find(const core::Pin& revision) const;
  std::vector<RevisionRecord> List(std::int64_t before_number, std::size_t limit) const;

  // The revision in force `days` ago; absent: the registry is younger.
  std::optional<RevisionRecord> FindOfDaysAgo(int days) const;

  // The targets of a family on which rows of default providers changed after the batch
  // `after_change`. `engine_says`: the family's shape keys name the engine, so every engine's rows
  // are served.
  std::vector<TargetHead> ReadTargetHeads(std::int16_t family, std::int64_t after_change,
                                          bool engine_says);
  // The lines of the last `days`, the newest first, each with at most `most_runs` runs.
  std::vector<ChangeLine> ListChanges(int days, std::size_t limit, std::size_t most_runs);
  // Covers each shape key whose measured row was replaced in the last `days`. Returns the time of
  // the first replaced row.
  std::vector<EarlierTime> ListEarlierTimes(int days);

  // Visits a family's shape keys that changed after the revision `since` and have or had a row, in
  // CSV order. `since` must exist. Few records are in memory at a time, and `visit` may move them.
  void VisitDifferences(std::int16_t family, std::int64_t since,
                        const std::function<void(DifferenceRecord&)>& visit);
  // The last revision that is at least `days` old, else the first one; absent: no revision exists.
  std::optional<RevisionBefore> FindBefore(int days);
  // The times of the newest `most` winners of each shape key, in the order of `keys`.
  using KeyOfProvider = std::pair<core::Hash128, Provider>;
  std::vector<WinnerTime> ReadWinnerTimes(const std::vector<KeyOfProvider>& keys, int most);

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::server
