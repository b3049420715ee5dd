// The table job inside a transaction.
#pragma once

#include <cstdint>
#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "server/store/queue/queue_records.h"

namespace tunehub::store {

JobRecord ReadJob(const pqxx::row& row);
// What find_job.sql found; error unknown_job.
core::Result<JobRecord> TheJob(const pqxx::result& found, std::int64_t id);

// As of Queue::PlanJobs: takes the lock of plans, then answers the open jobs of a target.
std::vector<JobContent> LockOpenJobs(pqxx::work& transaction, const std::string& gfx, int cu_num,
                                     bool or_done);
// The ids, in the order of the jobs.
std::vector<std::int64_t> InsertJobs(pqxx::work& transaction, const std::vector<JobContent>& jobs,
                                     const Writer& by);

}  // namespace tunehub::store
