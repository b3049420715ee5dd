// Who is there to do work.
#include "server/api/body.h"
#include "server/api/job_json.h"
#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/route.h"

namespace tunehub::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kDefaultAgents = 100, kMaxAgents = 1000;
constexpr std::size_t kMaxHostBytes = 255;  // of a DNS name
constexpr std::size_t kMaxVersionBytes = 64;
constexpr std::size_t kMaxDoingBytes = 200;  // one line

Json AgentJson(const service::AgentRecord& agent) {
  return {{"agent", agent.name},
          {"instance", agent.instance},
          {"owner", agent.owner},
          {"gfx", agent.gfx},
          {"cu_num", agent.cu_num},
          {"host", TextOrNull(agent.host)},
          {"version", TextOrNull(agent.version)},
          {"doing", TextOrNull(agent.doing)},
          {"first_seen", agent.first_seen},
          {"last_seen", agent.last_seen},
          {"job", agent.job ? Json(*agent.job) : Json()}};
}

http::Response PostAgent(Services& services, const http::Request& request, const Caller& caller) {
  if (const auto known = CheckParameters(request, {}); !known.ok())
    return ProblemFor(known.error());
  service::AgentContent agent;
  const auto read = ReadBody(request, kMaxBodyBytes, [&](core::JsonObject& body) {
    agent.name = AgentName(body);
    agent.instance = AgentInstance(body);
    const core::Target target = TargetOf(services, body, false);
    agent.gfx = target.gfx;
    agent.cu_num = target.cu_num;
    agent.host = PlainText(body, "host", kMaxHostBytes, false);
    agent.version = PlainText(body, "version", kMaxVersionBytes, false);
    agent.doing = PlainText(body, "doing", kMaxDoingBytes, false);
  });
  if (!read.ok()) return ProblemFor(read.error());
  if (const auto may = service::CheckTarget(caller, agent.gfx, agent.cu_num); !may.ok())
    return ProblemFor(may.error());
  agent.owner = caller.owner;
  return http::JsonResponse(200, AgentJson(services.queue.agents.Touch(agent)).dump());
}

service::AgentPage PageBehind(const std::optional<std::string>& name,
                              const std::optional<std::string>& instance,
                              const std::optional<std::string>& owner) {
  service::AgentPage page{name.value_or(""), instance.value_or("")};
  if (owner) page.owner = *owner;
  return page;
}

http::Response GetAgents(const Services& services, const http::Request& request) {
  if (const auto known =
          CheckParameters(request, {"after", "after_instance", "after_owner", "limit"});
      !known.ok())
    return ProblemFor(known.error());
  const auto after = TextParameter(request, "after", kMaxAgentBytes);
  if (!after.ok()) return ProblemFor(after.error());
  const auto instance = TextParameter(request, "after_instance", kMaxAgentBytes);
  if (!instance.ok()) return ProblemFor(instance.error());
  const auto owner = TextParameter(request, "after_owner", kMaxAgentBytes);
  if (!owner.ok()) return ProblemFor(owner.error());
  const auto limit = NumberParameter(request, "limit", 1, kMaxAgents);
  if (!limit.ok()) return ProblemFor(limit.error());
  const auto size = static_cast<std::size_t>(limit->value_or(kDefaultAgents));
  const auto agents = services.queue.agents.List(PageBehind(*after, *instance, *owner), size);
  Json json = {{"agents", Json::array()}};
  for (const service::AgentRecord& agent : agents) json["agents"].push_back(AgentJson(agent));
  http::Response response = http::JsonResponse(200, json.dump());
  if (agents.size() == size) {
    response.headers.emplace_back("Link",
                                  NextPage(request, {{"after", agents.back().name},
                                                     {"after_instance", agents.back().instance},
                                                     {"after_owner", agents.back().owner}}));
  }
  return response;
}

}  // namespace

std::vector<Endpoint> AgentRoutes(Services& services) {
  return {
      {"GET", "/agents", With(services, GetAgents)},
      {"POST", "/agents", With(services, PostAgent), "claim", true},
  };
}

}  // namespace tunehub::api
