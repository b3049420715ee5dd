#include "server/queue/job_store.h"

#include <fmt/format.h>

#include "server/db/transaction.h"
#include "server/db/write_once.h"
#include "server/queue/store_rows.h"
#include "sql.h"

namespace tunehub::server {
namespace {

// Members of a run's provenance. A newer version of one makes the run's times doubtful. Drivers and
// engines are not in the list, because their new versions run the same code.
constexpr const char* kTools = "{rocm,aiter,triton,compiler}";
constexpr int kOldDays = 90;  // older times are due to be verified
constexpr int kRestDays = 7;  // pause before a row's next plan, whatever the job's result

}  // namespace

core::Result<WriteOutcome> JobStore::AddJobs(const WriteRequest& request,
                                             const std::vector<JobContent>& jobs,
                                             const Render& render) {
  return WriteOnce(pool_, "jobs", request, 0, [&](pqxx::work& transaction) {
    return render(InsertJobs(transaction, jobs, request));
  });
}

core::Result<WriteOutcome> JobStore::PlanJobs(const WriteRequest& request,
                                              const core::Target& target,
                                              const std::vector<std::int16_t>& families,
                                              const std::vector<core::Hash128>& demand,
                                              const Plan& plan) {
  return WriteOnce(pool_, "jobs", request, 0, [&](pqxx::work& transaction) {
    const auto open = LockOpenJobs(transaction, target, families, demand);
    return plan(open, [&](const std::vector<JobContent>& jobs) {
      return InsertJobs(transaction, jobs, request);
    });
  });
}

bool JobStore::PlanDue(const core::Target& target, const std::vector<std::int16_t>& families,
                       int hours, std::size_t most, const PlanDueRows& plan) {
  return InTransaction(pool_, [&](pqxx::work& transaction) {
    const auto open = LockOpenJobs(transaction, target, families);
    const auto found =
        transaction.exec_params(sql::read_due_rows, target.gfx, target.cu_num,
                                fmt::format("{{{}}}", fmt::join(families, ",")), kTools, kOldDays,
                                static_cast<std::int64_t>(most), kRestDays, hours * 3600);
    if (found.empty()) return false;
    DueRows due{found[0][0].as<std::int16_t>(), found[0][2].as<std::string>(), {}};
    std::vector<std::string> keys;
    for (const auto& row : found) keys.push_back(row[1].as<std::string>());
    for (const std::string& key : keys) due.keys.insert(core::ParseUuid(key));
    transaction.exec_params0(sql::mark_verified, fmt::format("{{{}}}", fmt::join(keys, ",")));
    (void)InsertJobs(transaction, plan(due, open), {});
    return true;
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

std::vector<DeviceDrift> JobStore::ListDrift() {
  std::vector<DeviceDrift> devices;
  for (const auto& row : Query(pool_, sql::list_drift)) {
    const auto device = row[0].as<std::string>();
    if (devices.empty() || devices.back().device != device)
      devices.push_back({device, row[1].as<std::string>(), {}});
    devices.back().days.push_back(
        {row[2].as<std::string>(), row[3].as<double>(), row[4].as<std::int64_t>()});
  }
  return devices;
}

}  // namespace tunehub::server
