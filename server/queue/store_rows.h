// The holder of a lease: an owner and an agent's instance. The database stores the two as one text,
// so that the unique index on that text applies per owner.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <pqxx/pqxx>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "server/db/writer.h"
#include "server/queue/job_store.h"

namespace tunehub::server {

// Separates the owner from the instance, since names contain no control characters.
inline constexpr char kOwnerEnds = '\x1f';

// The text of a holder. The name of an agent without an instance stands for the instance.
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
  // Adds the object `row` with one more member `name`, whose JSON text `json` is not parsed again.
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
// The job that find_job.sql found; error unknown_job.
core::Result<JobRecord> TheJob(const pqxx::result& found, std::int64_t id);

// Takes the lock of plans and answers the target's open jobs; `or_done` is that of PlanJobs.
std::vector<JobContent> LockOpenJobs(pqxx::work& transaction, const std::string& gfx, int cu_num,
                                     bool or_done);
// The ids, in the order of the jobs.
std::vector<std::int64_t> InsertJobs(pqxx::work& transaction, const std::vector<JobContent>& jobs,
                                     const Writer& by);

}  // namespace tunehub::server
