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

  // Returns the family's tuned rows that changed after the batch `after_change` (0: all rows).
  using ReadDelta = std::function<SnapshotDelta(std::int16_t family, std::int64_t after_change)>;
  // Reads the heads, with the current token of the revision `known`, and calls `visit`. Within
  // `visit`, calls of `read` use the same snapshot of the database. Other queries need a second
  // connection.
  void AtOneMoment(std::int64_t known,
                   const std::function<void(const Heads& heads, const ReadDelta& read)>& visit);
  // Returns the rows in force at a revision. Errors: unknown_revision, revision_gone (the revision
  // with this number has another token or no longer exists).
  core::Result<PastTable> ReadPast(std::int16_t family, const core::Pin& revision);
  // Does the same only for these shape keys, by a database index. Returns nothing if the query
  // would add too many keys, or if the server listed the keys from a lost history.
  core::Result<std::optional<PastTable>> ReadPast(std::int16_t family, const core::Pin& revision,
                                                  const PastKeys& keys);
  // Does the same as ReadPast, without rows.
  core::Result<PastHead> ReadPastHead(std::int16_t family, const core::Pin& revision);
  void StoreBodyDigest(std::int16_t family, const core::Pin& revision, const std::string& sha256);
  // Returns the heads, with the current token of the revision `known`.
  Heads ReadHeads(std::int64_t known = 0) const;
  // Returns the last revision that changed the family while this family file was in force. Its
  // number is 0 if no revision did. Returns nothing if the family never had that file.
  std::optional<PastHead> FindLastOf(std::int16_t family, const std::string& sha256);
  // Returns the revision with its token. Errors: those of ReadPast.
  core::Result<core::Pin> Find(const core::Pin& revision) const;
  std::vector<RevisionRecord> List(std::int64_t before_number, std::size_t limit) const;

  // Returns the revision in force `days` ago. Returns nothing if the registry is younger.
  std::optional<RevisionRecord> FindOfDaysAgo(int days) const;

  // Returns the targets of a family on which rows of default providers changed after the batch
  // `after_change`. `engine_says`: true if the family's shape keys name the engine, so that the
  // rows of every engine are served.
  std::vector<TargetHead> ReadTargetHeads(std::int16_t family, std::int64_t after_change,
                                          bool engine_says);
  // Returns the lines of the last `days`, the newest first, each with at most `most_runs` runs.
  std::vector<ChangeLine> ListChanges(int days, std::size_t limit, std::size_t most_runs);
  // Returns, for each shape key whose measured row was replaced in the last `days`, the time of the
  // first replaced row.
  std::vector<EarlierTime> ListEarlierTimes(int days);

  // Visits a family's shape keys whose rows differ between two revisions, in CSV order. Few records
  // are in memory at a time, and `visit` may move them.
  void VisitDifferences(std::int16_t family, std::int64_t from, std::int64_t to,
                        const std::function<void(DifferenceRecord&)>& visit);
  // Returns the last revision up to a time (RFC 3339; "": `days` ago), or else the first revision.
  // Returns nothing if no revision exists.
  std::optional<RevisionBefore> FindBefore(const std::string& time, int days);
  // Returns the numbers of the revisions just before and just after a run's writes.
  std::pair<std::int64_t, std::int64_t> FindAroundRun(std::int64_t run);
  // Returns the times of the newest `most` winners of each shape key, in the order of `keys`.
  using KeyOfProvider = std::pair<core::Hash128, Provider>;
  std::vector<WinnerTime> ReadWinnerTimes(const std::vector<KeyOfProvider>& keys, int most);

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::server
