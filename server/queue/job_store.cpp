#include "server/queue/job_store.h"

#include <fmt/core.h>

#include <algorithm>

#include "server/db/transaction.h"
#include "server/db/write_once.h"
#include "server/queue/store_rows.h"
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
              {"campaign", job.campaign}},
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

std::vector<JobContent> LockOpenJobs(pqxx::work& transaction, const std::string& gfx, int cu_num,
                                     bool or_done) {
  transaction.exec(sql::lock_plan);
  std::vector<JobContent> open;
  for (const auto& row : transaction.exec_params(sql::open_jobs, gfx, cu_num, or_done)) {
    open.emplace_back();
    open.back().family = row[0].as<std::int16_t>();
    open.back().shapes = row[1].as<std::string>();
    open.back().purpose = row[2].as<std::string>();
  }
  return open;
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
  Audit(transaction, by, "jobs create", DescribeJobs(jobs, ids));
  return ids;
}

core::Result<JobRecord> TheJob(const pqxx::result& found, std::int64_t id) {
  if (found.empty()) return core::Error{"unknown_job", fmt::format("there is no job {}", id)};
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

core::Result<WriteOutcome> JobStore::AddJobs(const WriteRequest& request,
                                             const std::vector<JobContent>& jobs,
                                             const Render& render) {
  return WriteOnce(pool_, "jobs", request, [&](pqxx::work& transaction) {
    return render(InsertJobs(transaction, jobs, request));
  });
}

core::Result<WriteOutcome> JobStore::PlanJobs(const WriteRequest& request, const std::string& gfx,
                                              int cu_num, bool or_done, const Plan& plan) {
  return WriteOnce(pool_, "jobs", request, [&](pqxx::work& transaction) {
    const auto open = LockOpenJobs(transaction, gfx, cu_num, or_done);
    return plan(open, [&](const std::vector<JobContent>& jobs) {
      return InsertJobs(transaction, jobs, request);
    });
  });
}

core::Result<JobRecord> JobStore::FindJob(std::int64_t id) {
  return TheJob(Query(pool_, sql::find_job, id), id);
}

std::vector<JobRecord> JobStore::ListJobs(const JobFilter& filter) {
  std::vector<JobRecord> jobs;
  for (const auto& row :
       Query(pool_, sql::list_jobs, filter.before, filter.state, filter.family, filter.gfx,
             filter.campaign, filter.agent, static_cast<std::int64_t>(filter.limit))) {
    jobs.push_back(ReadJob(row));
  }
  return jobs;
}

std::map<std::size_t, OpenJob> JobStore::FindOpenJobs(const std::string& shapes) {
  std::map<std::size_t, OpenJob> jobs;
  for (const auto& row : Query(pool_, sql::find_open_jobs, shapes)) {
    jobs[row[0].as<std::size_t>()] = {row[1].as<std::int64_t>(), row[2].as<std::string>()};
  }
  return jobs;
}

JobCounts JobStore::CountJobs() {
  const auto row = Query(pool_, sql::count_jobs)[0];
  const auto count = [&](pqxx::row::size_type i) { return row[i].as<std::int64_t>(); };
  return {count(0), count(1), count(2), count(3)};
}

std::optional<double> SecondsToEmpty(const QueueOfTarget& queue) {
  if (queue.shapes == 0 || queue.done_shapes == 0 || !queue.done_within) return std::nullopt;
  return *queue.done_within / static_cast<double>(queue.done_shapes) *
         static_cast<double>(queue.shapes);
}

QueueState JobStore::ReadQueue() {
  QueueState state;
  for (const auto& row : Query(pool_, sql::queue_targets)) {
    const auto count = [&](pqxx::row::size_type i) { return row[i].as<std::int64_t>(); };
    QueueOfTarget& of = state.targets.emplace_back();
    of.gfx = row[0].as<std::string>();
    of.cu_num = row[1].as<int>();
    of.queued = count(2), of.running = count(3), of.parked = count(4);
    of.shapes = count(5);
    of.done_jobs = count(6), of.done_shapes = count(7);
    if (!row[8].is_null()) of.done_within = row[8].as<double>();
  }
  for (const auto& row : Query(pool_, sql::queue_hours)) {
    state.open_by_hour.push_back(row[0].as<std::int64_t>());
  }
  return state;
}

namespace {

AgentRecord ReadAgent(const pqxx::row& row) {
  AgentRecord agent;
  agent.name = row["name"].as<std::string>();
  ReadHolder(row["instance"].as<std::string>(), agent);
  agent.gfx = row["gfx"].as<std::string>();
  agent.cu_num = row["cu_num"].as<int>();
  agent.host = row["host"].as<std::string>();
  agent.version = row["version"].as<std::string>();
  agent.doing = row["doing"].as<std::string>();
  agent.first_seen = ReadTime(row["first_seen"]);
  agent.last_seen = ReadTime(row["last_seen"]);
  agent.job = ReadOptional<std::int64_t>(row["job"]);
  return agent;
}

}  // namespace

AgentRecord JobStore::TouchAgent(const AgentContent& agent) {
  return ReadAgent(Query(pool_, sql::touch_agent, agent.name, agent.gfx, agent.cu_num, agent.host,
                         agent.version, agent.doing, HolderOf(agent, agent.name))[0]);
}

std::vector<AgentRecord> JobStore::ListAgents(const AgentPage& after, std::size_t limit) {
  std::vector<AgentRecord> agents;
  const std::string behind = after.instance.empty() ? "" : HolderOf(after, "");
  for (const auto& row :
       Query(pool_, sql::list_agents, after.name, behind, static_cast<std::int64_t>(limit))) {
    agents.push_back(ReadAgent(row));
  }
  return agents;
}

}  // namespace tunehub::server
