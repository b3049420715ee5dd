// The registry's database behind plain structs. The only folder that knows libpqxx. Every call may
// throw Unavailable; calls are safe from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/families.h"
#include "core/family/targets.h"
#include "server/registry/fold.h"
#include "server/store/batch.h"
#include "server/store/builds.h"
#include "server/store/errors.h"
#include "server/store/queue.h"
#include "server/store/records.h"

namespace tunehub::store {

class ConnectionPool;
struct TimeRecord;
struct RunTimeRecord;
struct TargetHead;
struct ChangeLine;

struct StoreOptions {
  std::size_t connections = 6;
  QueueTimes queue = {};
};

class Store {
 public:
  Store(std::string url, StoreOptions options = {});
  ~Store();

  // --- schema (migrate.cpp, definitions.cpp)
  // Applies the migrations that are missing, under an advisory lock. Returns how many. Error
  // newer_schema: the database is ahead of this program.
  core::Result<int> Migrate();
  // Like Migrate, but changes nothing: error older_schema where a migration is missing.
  core::Status CheckSchema();
  // Makes the database know the family files and targets.json: new families are added. Error
  // definitions_changed where a known one has another content and `accept_changes` is false; else
  // every measurement of the changed families is judged again, in one revision, whose number it
  // answers, or nothing of it happens. Errors keys_would_change (the new file gives a stored row
  // another key, which would orphan its history), stored_line_unreadable.
  core::Result<std::optional<std::int64_t>> SyncDefinitions(const core::Families& families,
                                                            const core::Targets& targets,
                                                            bool accept_changes);
  std::vector<FamilyRecord> Families();
  std::string FamilyDefinition(std::int16_t family, int version);

  // --- writes (ingest.cpp, withdraw.cpp, runs.cpp)
  // Runs that are posted before their results. The same content is the same run: `created` is
  // false.
  RunRecord CreateRun(const RunContent& content, bool& created);
  // One batch, all or nothing, in one transaction; see BatchRequest.
  core::Result<BatchOutcome> Ingest(const BatchRequest& request);
  // Takes a run out of the competition. Errors: unknown_run, already_reverted.
  core::Result<RevertOutcome> Revert(std::int64_t run, std::int64_t api_key);

  // --- reads (snapshot.cpp, history.cpp)
  // What changed in a family's tuned rows after `after_change` (0: all of them).
  SnapshotDelta ReadSnapshot(std::int16_t family, std::int64_t after_change);
  // The rows in force at a revision. Error unknown_revision.
  core::Result<PastTable> ReadPast(std::int16_t family, std::int64_t revision);
  void StoreBodyDigest(std::int16_t family, std::int64_t revision, const std::string& sha256);
  // All candidates of a family's keys (not only winners), for filters that choose among them.
  std::vector<CandidateRecord> ReadCandidates(std::int16_t family);
  // Those of some keys alone, of every provider.
  std::vector<CandidateRecord> ReadCandidates(const std::vector<core::Hash128>& keys);
  // What would compete if only these runs were there.
  std::vector<CandidateRecord> ReadCandidates(std::int16_t family,
                                              const std::vector<std::int64_t>& runs);
  // Of each run whose measurements may win: its provenance.
  std::vector<ProvenanceRecord> ReadProvenance();
  // Every measurement of one key.
  std::vector<MeasurementRecord> ReadMeasurements(std::int16_t family, const core::Hash128& key);
  std::vector<TunedHistoryRecord> ReadTunedHistory(const core::Hash128& key);
  Heads ReadHeads();
  std::vector<RunRecord> ListRuns(std::int64_t before_id, std::size_t limit);
  std::optional<RunRecord> FindRun(std::int64_t id);
  // The active runs whose provenance has the members of this JSON object, the latest first.
  std::vector<RunRecord> FindRuns(const std::string& provenance, std::size_t limit);
  std::vector<BatchRecord> ListBatches(std::int64_t run);
  std::vector<RevisionRecord> ListRevisions(std::int64_t before_number, std::size_t limit);

  // --- what changed (changes.cpp)
  // Of each target that batches behind `after_change` changed what it is served of a family.
  std::vector<TargetHead> ReadTargetHeads(std::int16_t family, std::int64_t after_change);
  // The lines of the last `days`, the newest first; each names `most_runs` of its runs at most.
  std::vector<ChangeLine> ListChanges(int days, std::size_t limit, std::size_t most_runs);

  // --- times (times.cpp)
  // Of the keys of a family for which several candidates compete, in the order of the CSV.
  std::vector<TimeRecord> ReadTimes(std::int16_t family);
  // What these runs have measured of a family, in the order of the CSV.
  std::vector<RunTimeRecord> ReadRunTimes(std::int16_t family,
                                          const std::vector<std::int64_t>& runs);

  // --- keys (api_keys.cpp)
  KeyRecord CreateKey(const std::string& sha256, const std::string& hint, const std::string& scope,
                      const std::optional<std::string>& expires);
  KeyList ListKeys();
  std::int64_t ReadKeyEpoch();  // of ListKeys() now
  bool RevokeKey(std::int64_t id);
  void TouchKey(std::int64_t id);

  // Demand, jobs and agents, on the same connections.
  Queue& queue() { return *queue_; }
  // What builds can run, on the same connections.
  Builds& builds() { return *builds_; }

  // --- notification (listener.cpp)
  // Blocks up to `timeout_ms` for word of a commit by any server; true if there was one. From one
  // thread only. Throws Unavailable when the connection is lost; the next call connects again.
  bool AwaitChange(int timeout_ms);
  bool Reachable();

 private:
  struct Listener;
  std::unique_ptr<ConnectionPool> pool_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Builds> builds_;
  std::unique_ptr<Listener> listener_;
};

}  // namespace tunehub::store
