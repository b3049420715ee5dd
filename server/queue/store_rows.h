// Writes and reads stored rows of the queue. The holder of a lease is an owner and an agent's
// instance. The database stores both as one text, so that the unique index on that text applies per
// owner.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <pqxx/pqxx>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "server/db/writer.h"
#include "server/queue/demand_store.h"
#include "server/queue/job_store.h"

namespace tunehub::server {

// Separates the owner from the instance. (Names contain no control characters.)
inline constexpr char kOwnerEnds = '\x1f';

// Returns the text of a holder. If an agent has no instance, its name replaces the instance.
template <typename T>
std::string HolderOf(const T& it, const std::string& name) {
  const std::string& instance = it.instance.empty() ? name : it.instance;
  return it.owner == kDefaultOwner ? instance : it.owner + kOwnerEnds + instance;
}

template <typename T>
void ReadHolder(const std::string& text, T& it) {
  const std::size_t end = text.find(kOwnerEnds);
  const bool owned = end != std::string::npos;
  it.owner = owned ? text.substr(0, end) : kDefaultOwner;
  it.instance = owned ? text.substr(end + 1) : text;
}

// Collects rows as one parameter for json_to_recordset.
class RowsParameter {
 public:
  // Adds the object `row` with one more member: `name` with the JSON text `json`. Does not parse
  // `json` again.
  void Add(const nlohmann::ordered_json& row, std::string_view name, std::string_view json) {
    text_ += text_.empty() ? "[" : ",";
    text_ += row.dump();
    text_.back() = ',';
    text_.append("\"").append(name).append("\":").append(json).append("}");
  }

  std::string Text() const { return text_.empty() ? "[]" : text_ + "]"; }

 private:
  std::string text_;
};

JobRecord ReadJob(const pqxx::row& row);
// Returns the job in the answer of find_job.sql. Errors: unknown_job.
core::Result<JobRecord> TheJob(const pqxx::result& found, std::int64_t id);

// Takes the lock of plans, then returns the open jobs, and the done jobs that have `demand`. See
// JobStore::PlanJobs.
std::vector<JobContent> LockOpenJobs(pqxx::work& transaction, const core::Target& target,
                                     const std::vector<std::int16_t>& families,
                                     const std::vector<core::Hash128>& demand = {});
// The parameters of mark_demand.sql: arrays of ids and of jobs.
std::pair<std::string, std::string> MarkParameters(const DemandMarks& marks);
// Returns the ids, in the order of the jobs. Marks the demand of their keys.
std::vector<std::int64_t> InsertJobs(pqxx::work& transaction, const std::vector<JobContent>& jobs,
                                     const Writer& by);

}  // namespace tunehub::server
