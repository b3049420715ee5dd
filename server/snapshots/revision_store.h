// Served rows, now or at a revision, and their changes. Every call may throw Unavailable; calls are
// safe from any thread.
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
  // Reads the heads, the current token of revision `known`, and what `visit` reads, in one snapshot
  // of the database. Other queries of `visit` take a second connection.
  void AtOneMoment(std::int64_t known,
                   const std::function<void(const Heads& heads, const ReadDelta& read)>& visit);
  // The rows in force at a revision. Errors: unknown_revision, revision_gone (the number has
  // another token or no longer exists).
  core::Result<PastTable> ReadPast(std::int16_t family, const core::Pin& revision);
  // As above, for these keys, found by indexes. Absent: too many added keys, or the keys were
  // listed from a lost history.
  core::Result<std::optional<PastTable>> ReadPast(std::int16_t family, const core::Pin& revision,
                                                  const PastKeys& keys);
  // As ReadPast, without rows.
  core::Result<PastHead> ReadPastHead(std::int16_t family, const core::Pin& revision);
  void StoreBodyDigest(std::int16_t family, const core::Pin& revision, const std::string& sha256);
  // The heads, with the current token of revision `known`.
  Heads ReadHeads(std::int64_t known = 0) const;
  // The last revision that changed the family under this family file, in any version; number 0:
  // none. Absent: the family never had that file.
  std::optional<PastHead> FindLastOf(std::int16_t family, const std::string& sha256);
  // The revision with its token. Errors: those of ReadPast.
  core::Result<core::Pin> Find(const core::Pin& revision) const;
  std::vector<RevisionRecord> List(std::int64_t before_number, std::size_t limit) const;

  // The revision in force `days` ago; absent: the registry is younger.
  std::optional<RevisionRecord> FindOfDaysAgo(int days) const;

  // The targets whose default rows of a family changed after the batch `after_change`.
  // `engine_says`: the family's keys name the engine, and all engines are served by default.
  std::vector<TargetHead> ReadTargetHeads(std::int16_t family, std::int64_t after_change,
                                          bool engine_says);
  // The lines of the last `days`, the newest first, each with at most `most_runs` runs.
  std::vector<ChangeLine> ListChanges(int days, std::size_t limit, std::size_t most_runs);
  // For each key whose row was replaced in the last `days`: the first measured time that it had in
  // them.
  std::vector<EarlierTime> ListEarlierTimes(int days);

  // Visits a family's keys that changed after the revision `since` and have or had a row, in CSV
  // order. `since` must be in force. Few records are in memory at a time; `visit` may move from its
  // argument.
  void VisitDifferences(std::int16_t family, std::int64_t since,
                        const std::function<void(DifferenceRecord&)>& visit);
  // The last revision that is `days` old, else the first; absent: no revision.
  std::optional<RevisionBefore> FindBefore(int days);
  // The newest `most` times of each key's winners, in the order of `keys`.
  using KeyOfProvider = std::pair<core::Hash128, Provider>;
  std::vector<WinnerTime> ReadWinnerTimes(const std::vector<KeyOfProvider>& keys, int most);

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::server
