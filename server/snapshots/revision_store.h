// What is served, now or at a revision, and what changed it. Every call may throw Unavailable;
// calls are safe from any thread.
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

  // What changed in a family's tuned rows after the batch `after_change` (0: all of them).
  using ReadDelta = std::function<SnapshotDelta(std::int16_t family, std::int64_t after_change)>;
  // All of one moment, however many commits come meanwhile: the heads, with the token that revision
  // `known` has now, and what `visit` reads. A `visit` that asks for more takes a second
  // connection.
  void AtOneMoment(std::int64_t known,
                   const std::function<void(const Heads& heads, const ReadDelta& read)>& visit);
  // The rows in force at a revision. Errors: unknown_revision, revision_gone (the number is another
  // token's, or nobody's any more).
  core::Result<PastTable> ReadPast(std::int16_t family, const core::Pin& revision);
  // Of these keys alone, found by their indexes. Nothing where there are more others than that,
  // or the keys were listed of a history that was lost.
  core::Result<std::optional<PastTable>> ReadPast(std::int16_t family, const core::Pin& revision,
                                                  const PastKeys& keys);
  // The same without its rows.
  core::Result<PastHead> ReadPastHead(std::int16_t family, const core::Pin& revision);
  void StoreBodyDigest(std::int16_t family, const core::Pin& revision, const std::string& sha256);
  // With the token that revision `known` has now.
  Heads ReadHeads(std::int64_t known = 0) const;
  // The last revision that changed the family while it had that family file, in whichever version;
  // number 0 where none did. Nothing: it never had that file.
  std::optional<PastHead> FindLastOf(std::int16_t family, const std::string& sha256);
  // The revision with its token. Errors as of ReadPast.
  core::Result<core::Pin> Find(const core::Pin& revision) const;
  std::vector<RevisionRecord> List(std::int64_t before_number, std::size_t limit) const;

  // The one that was in force `days` ago; nothing where the registry is younger.
  std::optional<RevisionRecord> FindOfDaysAgo(int days) const;

  // Of each target that batches behind `after_change` changed what it is served of a family by
  // default; `engine_says`: the family's keys name the engine, and all of them are.
  std::vector<TargetHead> ReadTargetHeads(std::int16_t family, std::int64_t after_change,
                                          bool engine_says);
  // The lines of the last `days`, the newest first; each names `most_runs` of its runs at most.
  std::vector<ChangeLine> ListChanges(int days, std::size_t limit, std::size_t most_runs);
  // Of each key that was replaced in the last `days`, with a time: the one that held it when these
  // days began, or, of a newer key, the first that did.
  std::vector<EarlierTime> ListEarlierTimes(int days);

  // Every key of a family that changed after the revision `since` and has or had a row, in the
  // order of the CSV. Who keeps the numbers of a lost history asks for it: it must be in force.
  // Few are in memory at a time, and `visit` may take what it is given.
  void VisitDifferences(std::int16_t family, std::int64_t since,
                        const std::function<void(DifferenceRecord&)>& visit);
  // The last revision that is that old, or the first there is; nothing where there is none.
  std::optional<RevisionBefore> FindBefore(int days);
  // What keys were served lately, in the order asked: the newest `most` times of each.
  using KeyOfProvider = std::pair<core::Hash128, Provider>;
  std::vector<WinnerTime> ReadWinnerTimes(const std::vector<KeyOfProvider>& keys, int most);

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::server
