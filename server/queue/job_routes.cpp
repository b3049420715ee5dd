// Jobs as people see them: made, listed, tried again.
#include <fmt/core.h>

#include <algorithm>

#include "server/answers/answer.h"
#include "server/answers/parameters.h"
#include "server/answers/problems.h"
#include "server/answers/route.h"
#include "server/answers/shapes.h"
#include "server/queue/planner.h"
#include "server/queue/routes.h"

namespace tunehub::server {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kDefaultJobs = 50, kMaxJobs = 500;
constexpr std::string_view kStates[] = {"queued", "running", "done", "parked"};

// A new job, its family and shapes as they stand in the body.
struct ParsedJob {
  NewJob job;
  std::string family;
  nlohmann::json shapes;
};

std::string PurposeOf(core::JsonObject& body) {
  const std::string purpose = body.Text("purpose", kTune);
  if (purpose != kTune && purpose != kMeasure) {
    body.Fail("purpose", fmt::format("must be tune or measure, not '{}'", purpose));
  }
  return purpose;
}

core::Result<ParsedJob> ReadNewJob(const QueueServices& services, const http::Request& request) {
  ParsedJob parsed;
  const auto read = ReadBody(request, kMaxJobBodyBytes, [&](core::JsonObject& body) {
    parsed.family = body.Text("family");
    parsed.job.purpose = PurposeOf(body);
    parsed.job.target = TargetOf(services, body, true);
    parsed.job.campaign = PlainText(body, "campaign", kMaxCampaignBytes, false);
    parsed.job.priority =
        static_cast<int>(BoundedInteger(body, "priority", 0, -kMaxPriority, kMaxPriority));
    if (const nlohmann::json* const shapes = ShapesOf(body)) parsed.shapes = *shapes;
  });
  if (!read.ok()) return read.error();
  return parsed;
}

// The job's shapes; the first that is wrong, with its place, column and value.
core::Status ReadJobShapes(ParsedJob& parsed) {
  for (const auto& item : parsed.shapes) {
    core::FamilyShape shape;
    const std::size_t place = parsed.job.shapes.size();
    if (const auto issue =
            ReadShapeJson(*parsed.job.family, parsed.job.target.gfx, item, place + 1, shape)) {
      return core::Error{"bad_shape", fmt::format("/shapes/{}{}{}: {}: {}", place,
                                                  issue->column.empty() ? "" : "/", issue->column,
                                                  issue->code, issue->detail)};
    }
    parsed.job.shapes.push_back(std::move(shape));
  }
  return core::Ok();
}

http::Response PostJob(const QueueServices& services, const http::Request& request,
                       const Caller& caller) {
  if (const auto known = CheckParameters(request, {}); !known.ok())
    return ProblemFor(known.error());
  auto parsed = ReadNewJob(services, request);
  if (!parsed.ok()) return ProblemFor(parsed.error());
  const auto family = FindFamily(services, parsed->family);
  if (!family.ok()) return ProblemFor(family.error());
  parsed->job.family = *family;
  auto within = CheckFamily(caller, parsed->family);
  if (within.ok()) {
    within = CheckTarget(caller, parsed->job.target.gfx, parsed->job.target.cu_num);
  }
  if (!within.ok()) return ProblemFor(within.error());
  if (const auto shapes = ReadJobShapes(*parsed); !shapes.ok()) return ProblemFor(shapes.error());
  const auto write = ReadWriteRequest(request, request.body, caller);
  if (!write.ok()) return ProblemFor(write.error());
  const auto made = CreateJob(services.queue.jobs, services.definitions, parsed->job, *write);
  if (!made.ok()) return ProblemFor(made.error());
  http::Response response =
      http::JsonResponse(made->replayed ? 200 : 201, JobJson(services, made->job).dump());
  response.headers.emplace_back("Location", fmt::format("/jobs/{}", made->job.id));
  if (made->replayed) response.headers.emplace_back("Idempotency-Replayed", "true");
  return response;
}

core::Result<JobFilter> ReadJobFilter(const QueueServices& services, const http::Request& request) {
  JobFilter filter;
  struct Text {
    const char* name;
    std::optional<std::string> JobFilter::*member;
  };
  constexpr Text kTexts[] = {{"state", &JobFilter::state},
                             {"gfx", &JobFilter::gfx},
                             {"campaign", &JobFilter::campaign},
                             {"agent", &JobFilter::agent}};
  for (const Text& text : kTexts) {
    const auto value = TextParameter(request, text.name, kMaxCampaignBytes);
    if (!value.ok()) return value.error();
    filter.*text.member = *value;
  }
  if (filter.state &&
      std::find(std::begin(kStates), std::end(kStates), *filter.state) == std::end(kStates)) {
    return core::Error{
        "bad_parameter",
        fmt::format("state: '{}' is not allowed, only queued, running, done or parked",
                    *filter.state)};
  }
  const auto family = TextParameter(request, "family", kMaxCampaignBytes);
  if (!family.ok()) return family.error();
  if (*family) {
    const auto found = FindFamily(services, **family);
    if (!found.ok()) return found.error();
    filter.family = services.definitions.Id(**found);
  }
  const auto before = NumberParameter(request, "before", 1, kMaxId);
  if (!before.ok()) return before.error();
  filter.before = before->value_or(kMaxId);
  const auto limit = NumberParameter(request, "limit", 1, kMaxJobs);
  if (!limit.ok()) return limit.error();
  filter.limit = static_cast<std::size_t>(limit->value_or(kDefaultJobs));
  return filter;
}

http::Response GetJobs(const QueueServices& services, const http::Request& request) {
  const auto known =
      CheckParameters(request, {"state", "family", "gfx", "campaign", "agent", "before", "limit"});
  if (!known.ok()) return ProblemFor(known.error());
  const auto filter = ReadJobFilter(services, request);
  if (!filter.ok()) return ProblemFor(filter.error());
  const auto jobs = services.queue.jobs.ListJobs(*filter);
  Json json = {{"jobs", Json::array()}};
  for (const JobRecord& job : jobs) json["jobs"].push_back(JobJson(services, job, false));
  http::Response response = http::JsonResponse(200, json.dump());
  if (jobs.size() == filter->limit) {
    response.headers.emplace_back("Link",
                                  NextPage(request, {{"before", std::to_string(jobs.back().id)}}));
  }
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

http::Response GetQueue(const QueueServices& services, const http::Request& request) {
  if (const auto known = CheckParameters(request, {}); !known.ok())
    return ProblemFor(known.error());
  const auto state = services.queue.jobs.ReadQueue();
  Json json = {{"targets", Json::array()}, {"open_by_hour", state.open_by_hour}};
  for (const auto& queue : state.targets) json["targets"].push_back(QueueJson(queue));
  return http::JsonResponse(200, json.dump());
}

http::Response GetJob(const QueueServices& services, const http::Request& request,
                      std::string_view text) {
  if (const auto known = CheckParameters(request, {}); !known.ok())
    return ProblemFor(known.error());
  const auto id = IdInPath("job", text);
  if (!id.ok()) return ProblemFor(id.error());
  const auto job = services.queue.jobs.FindJob(*id);
  if (!job.ok()) return ProblemFor(job.error());
  return http::JsonResponse(200, JobJson(services, *job).dump());
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
  if (const auto known = CheckParameters(request, {}); !known.ok())
    return ProblemFor(known.error());
  const auto id = IdInPath("job", text);
  if (!id.ok()) return ProblemFor(id.error());
  if (const auto may = MayRetry(services, *id, caller); !may.ok()) return ProblemFor(may.error());
  const auto job = services.queue.leases.store.Retry(*id, caller);
  if (!job.ok()) return ProblemFor(job.error());
  return http::JsonResponse(200, JobJson(services, *job).dump());
}

}  // namespace

// Who is there to do work.

namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kDefaultAgents = 100, kMaxAgents = 1000;
constexpr std::size_t kMaxHostBytes = 255;  // of a DNS name
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

http::Response PostAgent(const QueueServices& services, const http::Request& request,
                         const Caller& caller) {
  if (const auto known = CheckParameters(request, {}); !known.ok())
    return ProblemFor(known.error());
  AgentContent agent;
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
  if (const auto may = CheckTarget(caller, agent.gfx, agent.cu_num); !may.ok())
    return ProblemFor(may.error());
  agent.owner = caller.owner;
  return http::JsonResponse(200, AgentJson(services.queue.jobs.TouchAgent(agent)).dump());
}

AgentPage PageBehind(const std::optional<std::string>& name,
                     const std::optional<std::string>& instance,
                     const std::optional<std::string>& owner) {
  AgentPage page{name.value_or(""), instance.value_or("")};
  if (owner) page.owner = *owner;
  return page;
}

http::Response GetAgents(const QueueServices& services, const http::Request& request) {
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
  const auto agents = services.queue.jobs.ListAgents(PageBehind(*after, *instance, *owner), size);
  Json json = {{"agents", Json::array()}};
  for (const AgentRecord& agent : agents) json["agents"].push_back(AgentJson(agent));
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

std::vector<Endpoint> JobRoutes(const QueueServices& services) {
  return {
      {"GET", "/jobs", With(services, GetJobs)},
      {"POST", "/jobs", With(services, PostJob), "admin", true},
      {"GET", "/queue", With(services, GetQueue)},
      {"GET", "/jobs/{id}", With(services, GetJob, "id")},
      {"POST", "/jobs/{id}/retry", With(services, PostRetry, "id"), "admin", true},
      {"GET", "/agents", With(services, GetAgents)},
      {"POST", "/agents", With(services, PostAgent), "claim", true},
  };
}

}  // namespace tunehub::server
