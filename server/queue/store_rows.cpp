#include "server/queue/store_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ranges>

#include "server/db/transaction.h"
#include "server/db/write_once.h"
#include "sql.h"

namespace tunehub::server {
namespace {

std::string JobRows(const std::vector<JobContent>& jobs) {
  RowsParameter rows;
  for (const JobContent& job : jobs) {
    rows.Add({{"family", job.family},
              {"purpose", job.purpose},
              {"gfx", job.gfx},
              {"cu_num", job.cu_num},
              {"priority", job.priority},
              {"weight", job.weight},
              {"campaign", job.campaign},
              {"why", job.why}},
             "shapes", job.shapes);
  }
  return rows.Text();
}

// "3 jobs from 12 on for gfx942:304"
std::string DescribeJobs(const std::vector<JobContent>& jobs,
                         const std::vector<std::int64_t>& ids) {
  const JobContent& job = jobs.front();  // all jobs are for one target
  return fmt::format("{} jobs from {} on for {}:{}", ids.size(), ids.front(), job.gfx,
                     job.cu_num == 0 ? "any" : std::to_string(job.cu_num));
}

}  // namespace

std::vector<JobContent> LockOpenJobs(pqxx::work& transaction, const core::Target& target,
                                     const std::vector<std::int16_t>& families,
                                     const std::vector<core::Hash128>& demand) {
  transaction.exec(sql::lock_plan);
  std::vector<JobContent> open;
  const auto ids = demand | std::views::transform(&core::Hash128::Uuid);
  for (const auto& row : transaction.exec_params(sql::open_jobs, target.gfx, target.cu_num,
                                                 fmt::format("{{{}}}", fmt::join(families, ",")),
                                                 fmt::format("{{{}}}", fmt::join(ids, ",")))) {
    open.emplace_back();
    open.back().family = row[0].as<std::int16_t>();
    open.back().shapes = row[1].as<std::string>();
    open.back().purpose = row[2].as<std::string>();
    open.back().id = row[3].as<std::int64_t>();
  }
  return open;
}

std::pair<std::string, std::string> MarkParameters(const DemandMarks& marks) {
  std::pair<std::string, std::string> arrays;
  for (const auto& [id, job] : marks) {
    arrays.first += (arrays.first.empty() ? "{" : ",") + id.Uuid();
    arrays.second += (arrays.second.empty() ? "{" : ",") + std::to_string(job);
  }
  arrays.first += "}";
  arrays.second += "}";
  return arrays;
}

std::vector<std::int64_t> InsertJobs(pqxx::work& transaction, const std::vector<JobContent>& jobs,
                                     const Writer& by) {
  std::vector<std::int64_t> ids;
  if (jobs.empty()) return ids;
  const auto owner = by.api_key == 0 ? std::optional<std::string>() : by.owner;
  for (const auto& row : transaction.exec_params(sql::insert_jobs, JobRows(jobs), owner)) {
    ids.push_back(row[0].as<std::int64_t>());
  }
  std::sort(ids.begin(), ids.end());  // ids in the order of the rows
  DemandMarks marks;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    for (const core::Hash128& key : jobs[i].keys) marks.emplace_back(key, ids[i]);
  }
  if (!marks.empty()) {
    const auto [keys, held] = MarkParameters(marks);
    transaction.exec_params0(sql::mark_demand, keys, held, 0);
  }
  Audit(transaction, by, "jobs create", DescribeJobs(jobs, ids));
  return ids;
}

core::Result<JobRecord> TheJob(const pqxx::result& found, std::int64_t id) {
  if (found.empty()) return core::Error{"unknown_job", fmt::format("unknown job {}", id)};
  return ReadJob(found[0]);
}

JobRecord ReadJob(const pqxx::row& row) {
  JobRecord job;
  job.id = row["id"].as<std::int64_t>();
  job.family = row["family"].as<std::int16_t>();
  job.purpose = row["purpose"].as<std::string>();
  job.state = row["state"].as<std::string>();
  job.gfx = row["gfx"].as<std::string>();
  job.cu_num = row["cu_num"].as<int>();
  job.priority = row["priority"].as<int>();
  job.weight = row["weight"].as<std::int64_t>();
  job.campaign = row["campaign"].as<std::string>("");
  job.why = row["why"].as<std::string>("");
  job.shapes = row["shapes"].as<std::string>();
  job.epoch = row["epoch"].as<int>();
  job.tries = row["tries"].as<int>();
  job.reasons = row["reasons"].as<std::string>();
  job.agent = row["agent"].as<std::string>("");
  ReadHolder(row["instance"].as<std::string>(""), job);
  job.progress = row["progress"].as<std::string>("");
  job.run = ReadOptional<std::int64_t>(row["run"]);
  job.lease_expires = ReadTime(row["lease_expires"]);
  job.created = ReadTime(row["created"]);
  job.claimed = ReadTime(row["claimed"]);
  job.finished = ReadTime(row["finished"]);
  return job;
}

}  // namespace tunehub::server
