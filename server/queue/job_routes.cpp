// Routes for people: create, list and retry jobs; list the agents.
#include <fmt/core.h>

#include <algorithm>

#include "server/answers/answer.h"
#include "server/answers/body.h"
#include "server/answers/parameters.h"
#include "server/answers/problems.h"
#include "server/answers/route.h"
#include "server/answers/shapes.h"
#include "server/answers/target_parameters.h"
#include "server/queue/job_json.h"
#include "server/queue/routes.h"

namespace tunehub::server {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kDefaultJobs = 50, kMaxJobs = 500;
constexpr std::string_view kStates[] = {"queued", "running", "done", "parked"};

// The job's shapes in stored form. An error names the index, column and value of the first wrong
// shape.
std::string ReadJobShapes(RequestQuery& query, const core::Family& family, const std::string& gfx,
                          const nlohmann::json& items) {
  std::vector<core::FamilyShape> shapes(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (const auto issue = ReadShapeJson(family, gfx, items[i], i + 1, shapes[i])) {
      query.Fail(
          {"bad_shape", fmt::format("/shapes/{}{}{}: {}: {}", i, issue->column.empty() ? "" : "/",
                                    issue->column, issue->code, issue->detail)});
      return "";
    }
  }
  return StoredShapes(family, shapes);
}

http::Response PostJob(const QueueServices& services, const http::Request& request,
                       const Caller& caller) {
  RequestQuery query(request, {});
  JobContent job;
  std::string family_name;
  nlohmann::json shapes;
  ReadBody(query, request, kMaxJobBodyBytes, [&](core::JsonObject& body, auto&) {
    family_name = body.Text("family");
    job.purpose = PurposeOf(body);
    const core::Target target = TargetOf(services, body, true);
    job.gfx = target.gfx;
    job.cu_num = target.cu_num;
    job.campaign = PlainText(body, "campaign", kMaxCampaignBytes, false);
    job.priority =
        static_cast<int>(BoundedInteger(body, "priority", 0, -kMaxPriority, kMaxPriority));
    if (const nlohmann::json* const named = ShapeList(body)) shapes = *named;
  });
  const core::Family* const family = query.Take(FindFamily(services, family_name));
  query.Take(CheckFamily(caller, family_name));
  query.Take(CheckTarget(caller, job.gfx, job.cu_num));
  if (query.ok()) {
    job.family = services.definitions.Id(*family);
    job.shapes = ReadJobShapes(query, *family, job.gfx, shapes);
  }
  const WriteRequest write = ReadWriteRequest(query, request, request.body, caller);
  if (!query.ok()) return ProblemFor(query.error());
  // The receipt contains only the job's id, also for a replay.
  const auto made = services.queue.jobs.AddJobs(
      write, {job}, [](const auto& ids) { return std::to_string(ids.at(0)); });
  if (!made.ok()) return ProblemFor(made.error());
  const auto record = services.queue.jobs.FindJob(std::stoll(made->receipt));
  if (!record.ok())
    return ProblemFor({"unknown_job", fmt::format("job {} no longer exists", made->receipt)});
  http::Response response =
      http::JsonResponse(made->replayed ? 200 : 201, JobJson(services, *record).dump());
  response.headers.emplace_back("Location", "/jobs/" + made->receipt);
  if (made->replayed) response.headers.emplace_back("Idempotency-Replayed", "true");
  return response;
}

JobFilter ReadJobFilter(const QueueServices& services, RequestQuery& query) {
  JobFilter filter;
  filter.state = query.Text("state");
  filter.gfx = query.Text("gfx");
  filter.campaign = query.Text("campaign");
  filter.agent = query.Text("agent");
  if (filter.state && std::ranges::find(kStates, *filter.state) == std::end(kStates)) {
    query.Fail({"bad_parameter",
                fmt::format("state: '{}' is not allowed; expected queued, running, done or parked",
                            *filter.state)});
  }
  if (const core::Family* const family = query.Family(services))
    filter.family = services.definitions.Id(*family);
  filter.before = query.Number("after", 1, kMaxId, kMaxId);
  filter.limit = query.Size("limit", 1, kMaxJobs, kDefaultJobs);
  return filter;
}

http::Response GetJobs(const QueueServices& services, const http::Request& request) {
  RequestQuery query(request, {"state", "family", "gfx", "campaign", "agent", "after", "limit"});
  const JobFilter filter = ReadJobFilter(services, query);
  if (!query.ok()) return ProblemFor(query.error());
  const auto jobs = services.queue.jobs.ListJobs(filter);
  Json json = {{"jobs", Json::array()}};
  for (const JobRecord& job : jobs) json["jobs"].push_back(JobJson(services, job, false));
  http::Response response = http::JsonResponse(200, json.dump());
  if (jobs.size() == filter.limit)
    AddNextPage(response, request, {{"after", std::to_string(jobs.back().id)}});
  return response;
}

Json QueueJson(const QueueOfTarget& queue) {
  const auto seconds = SecondsToEmpty(queue);
  return {{"gfx", queue.gfx},
          {"cu_num", queue.cu_num == 0 ? Json() : Json(queue.cu_num)},
          {"queued", queue.queued},
          {"running", queue.running},
          {"parked", queue.parked},
          {"shapes", queue.shapes},
          {"done", {{"jobs", queue.done_jobs}, {"shapes", queue.done_shapes}}},
          {"seconds_to_empty", seconds ? Json(*seconds) : Json()}};
}

http::Response GetQueue(const QueueServices& services, const http::Request&) {
  const auto state = services.queue.jobs.ReadQueue();
  Json json = {{"targets", Json::array()}, {"open_by_hour", state.open_by_hour}};
  for (const auto& queue : state.targets) json["targets"].push_back(QueueJson(queue));
  return http::JsonResponse(200, json.dump());
}

http::Response GetJob(const QueueServices& services, const http::Request& request,
                      std::string_view text) {
  RequestQuery query(request, {});
  const std::int64_t id = query.Id("job", text);
  if (!query.ok()) return ProblemFor(query.error());
  return JobAnswer(services, services.queue.jobs.FindJob(id));
}

// Errors: unknown_job, key_limited.
core::Status MayRetry(const QueueServices& services, std::int64_t id, const Caller& caller) {
  if (!caller.limits) return core::Ok();
  const auto job = services.queue.jobs.FindJob(id);
  if (!job.ok()) return job.error();
  auto within = CheckFamily(caller, services.definitions.NameOf(job->family));
  return within.ok() ? CheckTarget(caller, job->gfx, job->cu_num) : within;
}

http::Response PostRetry(const QueueServices& services, const http::Request& request,
                         std::string_view text, const Caller& caller) {
  RequestQuery query(request, {});
  const std::int64_t id = query.Id("job", text);
  if (!query.ok()) return ProblemFor(query.error());
  if (const auto may = MayRetry(services, id, caller); !may.ok()) return ProblemFor(may.error());
  return JobAnswer(services, services.queue.leases.Retry(id, caller));
}

constexpr std::int64_t kDefaultAgents = 100, kMaxAgents = 1000;
constexpr std::size_t kMaxHostBytes = 255;  // the longest DNS name
constexpr std::size_t kMaxVersionBytes = 64;
constexpr std::size_t kMaxDoingBytes = 200;  // one line

Json AgentJson(const AgentRecord& agent) {
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

Json DriftJson(const DeviceDrift& drift) {
  Json days = core::Mapped(drift.days, [](const DeviceDrift::Day& it) {
    return Json{{"day", it.day}, {"ratio", it.ratio}, {"keys", it.keys}};
  });
  return {{"device", drift.device}, {"since", drift.since}, {"days", std::move(days)}};
}

http::Response PostAgent(const QueueServices& services, const http::Request& request,
                         const Caller& caller) {
  RequestQuery query(request, {});
  AgentContent agent;
  ReadBody(query, request, kMaxBodyBytes, [&](core::JsonObject& body, auto&) {
    agent.name = AgentName(body);
    agent.instance = AgentInstance(body);
    const core::Target target = TargetOf(services, body, false);
    agent.gfx = target.gfx;
    agent.cu_num = target.cu_num;
    agent.host = PlainText(body, "host", kMaxHostBytes, false);
    agent.version = PlainText(body, "version", kMaxVersionBytes, false);
    agent.doing = PlainText(body, "doing", kMaxDoingBytes, false);
  });
  query.Take(CheckTarget(caller, agent.gfx, agent.cu_num));
  if (!query.ok()) return ProblemFor(query.error());
  agent.owner = caller.owner;
  return http::JsonResponse(200, AgentJson(services.queue.jobs.TouchAgent(agent)).dump());
}

http::Response GetAgents(const QueueServices& services, const http::Request& request) {
  RequestQuery query(request, {"after", "after_instance", "after_owner", "limit", "drift"});
  AgentPage page;
  page.name = query.Text("after").value_or("");
  page.instance = query.Text("after_instance").value_or("");
  page.owner = query.Text("after_owner").value_or(page.owner);
  const std::size_t limit = query.Size("limit", 1, kMaxAgents, kDefaultAgents);
  const bool drift = query.Flag("drift");
  if (!query.ok()) return ProblemFor(query.error());
  const auto agents = services.queue.jobs.ListAgents(page, limit);
  Json json = {{"agents", Json::array()}};
  for (const AgentRecord& agent : agents) json["agents"].push_back(AgentJson(agent));
  if (drift) json["drift"] = core::Mapped(services.queue.jobs.ListDrift(), DriftJson);
  http::Response response = http::JsonResponse(200, json.dump());
  if (agents.size() == limit) {
    AddNextPage(response, request,
                {{"after", agents.back().name},
                 {"after_instance", agents.back().instance},
                 {"after_owner", agents.back().owner}});
  }
  return response;
}

}  // namespace

std::vector<Endpoint> JobRoutes(const QueueServices& services) {
  return {
      {"GET", "/jobs", With(services, GetJobs)},
      {"POST", "/jobs", With(services, PostJob), "admin", true},
      NoQuery({"GET", "/queue", With(services, GetQueue)}),
      {"GET", "/jobs/{id}", With(services, GetJob, "id")},
      {"POST", "/jobs/{id}/retry", With(services, PostRetry, "id"), "admin", true},
      {"GET", "/agents", With(services, GetAgents)},
      {"POST", "/agents", With(services, PostAgent), "claim", true},
  };
}

}  // namespace tunehub::server
