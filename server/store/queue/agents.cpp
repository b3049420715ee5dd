#include "server/store/connection/transaction.h"
#include "server/store/queue/holder.h"
#include "server/store/queue/queue.h"
#include "sql.h"

namespace tunehub::store {
namespace {

AgentRecord ReadAgent(const pqxx::row& row) {
  AgentRecord agent;
  agent.name = row["name"].as<std::string>();
  Holder holder = ParseHolder(row["instance"].as<std::string>());
  agent.instance = std::move(holder.instance);
  agent.owner = std::move(holder.owner);
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

AgentRecord QueueStore::TouchAgent(const AgentContent& agent) {
  return ReadAgent(Query(pool_, sql::touch_agent, agent.name, agent.gfx, agent.cu_num, agent.host,
                         agent.version, agent.doing, HolderOf(agent, agent.name))[0]);
}

std::vector<AgentRecord> QueueStore::ListAgents(const AgentPage& after, std::size_t limit) {
  std::vector<AgentRecord> agents;
  const std::string behind = after.instance.empty() ? "" : HolderOf(after, "");
  for (const auto& row :
       Query(pool_, sql::list_agents, after.name, behind, static_cast<std::int64_t>(limit))) {
    agents.push_back(ReadAgent(row));
  }
  return agents;
}

}  // namespace tunehub::store
