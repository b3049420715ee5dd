// Runs in PostgreSQL. Every call may throw Unavailable; calls are safe from any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "server/store/connection/writer.h"
#include "server/store/ingest/run_records.h"

namespace tunehub::store {

class ConnectionPool;

class RunStore {
 public:
  explicit RunStore(ConnectionPool& pool) : pool_(pool) {}

  // A run that is posted before its results. The same content is the same run: `created` is false.
  RunRecord Create(const RunContent& content, bool& created, const Writer& by = {});
  std::vector<RunRecord> List(std::int64_t before_id, std::size_t limit);
  // By their ids; a run without batches is not in it.
  std::map<std::int64_t, RunTally> Count(const std::vector<std::int64_t>& ids);
  // The run `id`, then those with the text in their source or provenance, in any case; the latest
  // first. `id` 0: none.
  std::vector<RunRecord> Search(std::int64_t id, const std::string& text, std::size_t limit);
  core::Result<RunRecord> Find(std::int64_t id);  // error unknown_run
  // The active runs whose provenance has the members of this JSON object, the latest first.
  std::vector<RunRecord> FindByProvenance(const std::string& provenance, std::size_t limit);
  // The import in force of a source, absent where all of its imports were reverted. Error
  // unknown_source.
  core::Result<std::optional<std::int64_t>> FindSource(const std::string& name);
  // Whose rows the run has beside its own.
  std::vector<RepeatedRun> ListRepeated(std::int64_t run);
  std::vector<BatchRecord> ListBatches(std::int64_t run);

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::store
