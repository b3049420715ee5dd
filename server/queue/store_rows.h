// Who holds a lease: an agent's instance, of one owner. Both are one text in the database, so that
// what makes instances unique there makes them so per owner.
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

// Stands behind the owner, and in no name: those hold no control characters.
inline constexpr char kOwnerEnds = '\x1f';

// Agents that say no instance are told apart by their names.
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

// Rows as one parameter, which json_to_recordset takes apart.
class RowsParameter {
 public:
  // `row` is an object with members; one more is `name`, whose JSON stands there as it is: it need
  // not be parsed to be written again.
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

// The table job inside a transaction.

JobRecord ReadJob(const pqxx::row& row);
// What find_job.sql found; error unknown_job.
core::Result<JobRecord> TheJob(const pqxx::result& found, std::int64_t id);

// As of JobStore::PlanJobs: takes the lock of plans, then answers the open jobs of a target.
std::vector<JobContent> LockOpenJobs(pqxx::work& transaction, const std::string& gfx, int cu_num,
                                     bool or_done);
// The ids, in the order of the jobs.
std::vector<std::int64_t> InsertJobs(pqxx::work& transaction, const std::vector<JobContent>& jobs,
                                     const Writer& by);

}  // namespace tunehub::server
