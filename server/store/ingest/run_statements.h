// Statements about runs that several transactions share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <pqxx/pqxx>
#include <string>

#include "core/base/result.h"
#include "server/store/connection/writer.h"
#include "server/store/ingest/run_records.h"

namespace tunehub::store {

// Of a row of find_run.sql, list_runs.sql and find_runs.sql.
RunRecord ReadRun(const pqxx::row& row);
RunRecord InsertRun(pqxx::work& transaction, const RunContent& content, const Writer& by,
                    bool& created);
// Error unknown_run.
core::Result<RunRecord> SelectRun(pqxx::transaction_base& transaction, std::int64_t id);

// What a batch adds to a run.
struct RunCounts {
  std::size_t rows = 0, stored = 0;
  std::optional<std::int64_t> repeats = {};  // the import that had some of the rows
  std::string digest = {};                   // of what was imported; "": it cannot be known again
};
void CountRows(pqxx::work& transaction, std::int64_t run, const RunCounts& counts);

}  // namespace tunehub::store
