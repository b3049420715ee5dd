// SQL statements about runs that several transactions use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "server/db/writer.h"
#include "server/ingest/batch_records.h"

namespace tunehub::server {

RunRecord InsertRun(pqxx::work& transaction, const RunContent& content, const Writer& by,
                    bool& created);
// Errors: unknown_run.
core::Result<RunRecord> SelectRun(pqxx::transaction_base& transaction, std::int64_t id);

struct RunCounts {
  std::int64_t run = 0;
  std::size_t rows = 0, stored = 0;
  std::optional<std::int64_t> repeats = {};  // the import that already contained some of the rows
  // digest of the imported files; "": unknown, so no import can repeat them
  std::string digest = {};
};
void CountRows(pqxx::work& transaction, const std::vector<RunCounts>& counts);

// Selects runs, the latest first. Absent members match any run.
struct RunFilter {
  std::optional<std::int64_t> id = {};
  std::optional<std::string> hash = {};
  std::optional<std::int64_t> before_id = {};
  std::optional<std::string> provenance = {};  // a JSON object: only active runs with these members
  // text in the source or the provenance; case does not matter
  std::optional<std::string> text = {};
  std::optional<std::int64_t> also = {};  // also this run, before the matches
};

class ConnectionPool;

// Every call may throw Unavailable; calls are safe from any thread.
class RunStore {
 public:
  explicit RunStore(ConnectionPool& pool) : pool_(pool) {}

  // Creates a run before its results. `created` is false if a run with the same content exists.
  // Errors: over_quota.
  core::Result<RunRecord> Create(const RunContent& content, bool& created, const Writer& by = {});
  std::vector<RunRecord> Select(const RunFilter& filter, std::size_t limit) const;
  // Returns the tallies by run id. A run without batches has no tally.
  std::map<std::int64_t, RunTally> Count(const std::vector<RunRecord>& runs) const;
  core::Result<RunRecord> Find(std::int64_t id) const;  // error unknown_run
  // Returns the runs with stored rows that this run repeats.
  std::vector<RepeatedRun> ListRepeated(std::int64_t run) const;
  std::vector<BatchRecord> ListBatches(std::int64_t run) const;

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::server
