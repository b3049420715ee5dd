#include "server/store/health/health.h"

#include "server/store/connection/several_hosts.h"
#include "server/store/connection/transaction.h"
#include "sql.h"

namespace tunehub::store {
namespace {

// A connection that was just made answers at once, or something is wrong with its host.
HostHealth LookAtHost(const OneHost& host) {
  HostHealth health;
  health.name = host.name;
  health.url = host.url;
  try {
    Override(health.url, "target_session_attrs", "any");  // a standby is no host that is down
    const ConnectionPool pool(health.url, {.size = 1});
    const auto connection = pool.Open();
    pqxx::nontransaction statement(*connection);
    const auto answer = statement.exec1("SELECT current_setting('transaction_read_only')");
    health.read_only = answer[0].as<std::string>() == "on";
  } catch (const std::exception& error) {
    health.reason = error.what();
    while (health.reason.ends_with('\n')) health.reason.pop_back();
  }
  return health;
}

}  // namespace

std::vector<HostHealth> LookAtHosts(const std::string& url) {
  std::vector<HostHealth> hosts;
  for (const OneHost& host : HostsOf(url)) hosts.push_back(LookAtHost(host));
  return hosts;
}

ServerHealth HealthStore::Server() {
  const auto row = Query(pool_, sql::look_at_server)[0];
  ServerHealth health;
  health.seconds = row["seconds"].as<double>();
  health.standbys_wanted = row["wanted"].as<std::string>();
  health.sees_standbys = row["sees"].as<bool>();
  health.standbys = row["standbys"].as<std::int64_t>();
  health.synchronous = row["synchronous"].as<std::int64_t>();
  health.idle_slots = row["idle_slots"].as<std::string>("");
  health.idle_slot_bytes = row["idle_slot_bytes"].as<std::int64_t>(0);
  return health;
}

ArchiverHealth HealthStore::Archiver() {
  const auto row = Query(pool_, sql::look_at_archiver)[0];
  ArchiverHealth health;
  health.on = row["is_on"].as<bool>();
  health.failed = row["failed"].as<std::int64_t>();
  health.last_failed_file = row["last_failed_file"].as<std::string>("");
  health.last_failed = ReadTime(row["last_failed"]);
  health.last_archived = ReadTime(row["last_archived"]);
  health.fails_now = row["fails_now"].as<bool>();
  return health;
}

QueueHealth HealthStore::Queue(std::chrono::seconds silence, std::chrono::seconds gone) {
  QueueHealth health;
  for (const auto& row : Query(pool_, sql::look_at_queued, silence.count())) {
    health.without_agent.push_back(
        {row[0].as<std::string>(), row[1].as<int>(), row[2].as<std::int64_t>()});
  }
  for (const auto& row : Query(pool_, sql::look_at_agents, silence.count(), gone.count())) {
    health.silent.push_back({row[0].as<std::string>(), row[1].as<std::string>(), ReadTime(row[2])});
  }
  const auto jobs = Query(pool_, sql::look_at_jobs)[0];
  health.parked = jobs[0].as<std::int64_t>();
  health.overdue = jobs[1].as<std::int64_t>();
  return health;
}

}  // namespace tunehub::store
