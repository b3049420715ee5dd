// Statements about runs that several transactions share.
#pragma once

#include <cstdint>
#include <pqxx/pqxx>
#include <vector>

#include "core/base/result.h"
#include "server/store/ingest/run_records.h"

namespace tunehub::store {

// Of a row of find_run.sql, list_runs.sql and find_runs.sql.
RunRecord ReadRun(const pqxx::row& row);
RunRecord InsertRun(pqxx::work& transaction, const RunContent& content, bool& created);
// Error unknown_run.
core::Result<RunRecord> SelectRun(pqxx::transaction_base& transaction, std::int64_t id);
// The run's start in microseconds since 1970: how runs are ordered.
std::int64_t RunTime(pqxx::work& transaction, std::int64_t run);
// Takes the earlier active runs of the run's source out of the competition; answers which.
std::vector<std::int64_t> DeactivateSource(pqxx::work& transaction, const RunRecord& run);

}  // namespace tunehub::store
