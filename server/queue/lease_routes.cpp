// Work for agents: claim it, keep it, finish it or hand it back.
#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "server/answers/parameters.h"
#include "server/answers/problems.h"
#include "server/answers/route.h"
#include "server/queue/routes.h"

namespace tunehub::server {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxReasonBytes = 1000;
constexpr std::size_t kMaxProgressBytes = 4096;
constexpr std::size_t kMaxExceptedJobs = 1000;

core::Result<std::vector<const core::Family*>> FamiliesOf(const QueueServices& services,
                                                          const std::vector<std::string>& names) {
  std::vector<const core::Family*> families;
  for (const std::string& name : names) {
    const auto family = FindFamily(services, name);
    if (!family.ok()) return family.error();
    families.push_back(*family);
  }
  return families;
}

// Jobs that the agent has handed back: by their numbers.
std::vector<std::int64_t> ExceptOf(core::JsonObject& body) {
  const nlohmann::json* const value = body.Value("except");
  if (value == nullptr || value->is_null()) return {};
  const bool numbers = value->is_array() && std::ranges::all_of(*value, [](const auto& it) {
                         return it.is_number_integer() && it >= 1;
                       });
  if (!numbers || value->size() > kMaxExceptedJobs) {
    body.Fail("except", fmt::format("must be a list of at most {} jobs", kMaxExceptedJobs));
    return {};
  }
  return value->get<std::vector<std::int64_t>>();
}

// The families that were asked for, or those that the key is limited to. Errors: unknown_family,
// key_limited.
core::Status Narrow(const QueueServices& services, const Caller& caller,
                    std::optional<std::vector<std::string>> families, Claim& claim) {
  auto within = CheckTarget(caller, claim.target.gfx, claim.target.cu_num);
  if (!within.ok()) return within;
  if (!families && caller.limits && !caller.limits->families.empty()) {
    families = caller.limits->families;
  }
  if (!families) return core::Ok();
  const auto named = FamiliesOf(services, *families);
  if (!named.ok()) return named.error();
  for (const std::string& name : *families) {
    if (const auto may = CheckFamily(caller, name); !may.ok()) return may;
  }
  claim.families = *named;
  return core::Ok();
}

http::Response PostClaim(const QueueServices& services, const http::Request& request,
                         const Caller& caller) {
  if (const auto known = CheckParameters(request, {}); !known.ok())
    return ProblemFor(known.error());
  Claim claim;
  std::optional<std::vector<std::string>> families;
  const auto read = ReadBody(request, kMaxBodyBytes, [&](core::JsonObject& body) {
    claim.agent = AgentName(body);
    claim.instance = AgentInstance(body);
    claim.target = TargetOf(services, body, false);
    claim.measures = body.Boolean("measures", false);
    claim.except = ExceptOf(body);
    if (body.Has("families")) families = body.Texts("families");
    if (families && families->empty()) body.Fail("families", "must name one at least");
  });
  if (!read.ok()) return ProblemFor(read.error());
  claim.owner = caller.owner;
  if (const auto within = Narrow(services, caller, families, claim); !within.ok())
    return ProblemFor(within.error());
  const auto job = services.queue.leases.Take(claim);
  if (!job) {
    http::Response nothing;
    nothing.status = 204;
    return nothing;
  }
  return http::JsonResponse(200, JobJson(services, *job).dump());
}

http::Response LeaseAnswer(const core::Result<JobRecord>& job,
                           const std::function<Json(const JobRecord&)>& render) {
  if (!job.ok()) return ProblemFor(job.error());
  return http::JsonResponse(200, render(*job).dump());
}

std::string ProgressOf(core::JsonObject& body) {
  const nlohmann::json* const value = body.Value("progress");
  if (value == nullptr || value->is_null()) return "";
  std::string text = value->dump();
  if (text.size() > kMaxProgressBytes) {
    body.Fail("progress", fmt::format("is larger than {} bytes", kMaxProgressBytes));
  }
  return text;
}

http::Response PostHeartbeat(const QueueServices& services, const http::Request& request,
                             std::int64_t id, const Caller& caller) {
  Lease lease;
  std::string progress;
  const auto read = ReadBody(request, kMaxBodyBytes, [&](core::JsonObject& body) {
    lease = LeaseOf(body, id, caller);
    progress = ProgressOf(body);
  });
  if (!read.ok()) return ProblemFor(read.error());
  const auto kept = services.queue.leases.store.Heartbeat(
      lease, progress.empty() ? std::nullopt : std::optional(progress));
  return LeaseAnswer(kept, [&](const JobRecord& job) {
    return Json{{"id", job.id}, {"state", job.state}, {"lease", LeaseJson(services, job)}};
  });
}

http::Response PostComplete(const QueueServices& services, const http::Request& request,
                            std::int64_t id, const Caller& caller) {
  Lease lease;
  std::optional<std::int64_t> run;
  const auto read = ReadBody(request, kMaxBodyBytes, [&](core::JsonObject& body) {
    lease = LeaseOf(body, id, caller);
    if (body.Has("run") && !body.Value("run")->is_null()) {
      run = BoundedInteger(body, "run", 0, 1, std::numeric_limits<std::int64_t>::max());
    }
  });
  if (!read.ok()) return ProblemFor(read.error());
  return LeaseAnswer(services.queue.leases.store.Complete(lease, run),
                     [&](const JobRecord& job) { return JobJson(services, job); });
}

http::Response PostFail(const QueueServices& services, const http::Request& request,
                        std::int64_t id, const Caller& caller) {
  Lease lease;
  std::string reason;
  bool park = false;
  const auto read = ReadBody(request, kMaxBodyBytes, [&](core::JsonObject& body) {
    lease = LeaseOf(body, id, caller);
    reason = PlainText(body, "reason", kMaxReasonBytes, true);
    park = body.Boolean("park", false);
  });
  if (!read.ok()) return ProblemFor(read.error());
  return LeaseAnswer(services.queue.leases.store.Fail(lease, reason, park),
                     [&](const JobRecord& job) { return JobJson(services, job); });
}

http::Response PostRelease(const QueueServices& services, const http::Request& request,
                           std::int64_t id, const Caller& caller) {
  Lease lease;
  std::string reason;
  const auto read = ReadBody(request, kMaxBodyBytes, [&](core::JsonObject& body) {
    lease = LeaseOf(body, id, caller);
    reason = PlainText(body, "reason", kMaxReasonBytes, false);
  });
  if (!read.ok()) return ProblemFor(read.error());
  const auto why = reason.empty() ? std::nullopt : std::optional(reason);
  return LeaseAnswer(services.queue.leases.store.Release(lease, why),
                     [&](const JobRecord& job) { return JobJson(services, job); });
}

}  // namespace

std::vector<Endpoint> LeaseRoutes(const QueueServices& services) {
  std::vector<Endpoint> routes = {
      {"POST", "/jobs/claim", With(services, PostClaim), "claim", true}};
  routes.back().pool = http::Pool::kWrite;  // it may make jobs of demand, which takes long
  struct Row {
    const char* name;
    http::Response (*handle)(const QueueServices&, const http::Request&, std::int64_t,
                             const Caller&);
  };
  constexpr Row kSteps[] = {{"heartbeat", PostHeartbeat},
                            {"complete", PostComplete},
                            {"fail", PostFail},
                            {"release", PostRelease}};
  for (const Row& step : kSteps) {
    routes.push_back({"POST", std::string("/jobs/{id}/") + step.name,
                      [services, handle = step.handle](const auto& request, const auto& path,
                                                       const auto& caller) {
                        const auto known = CheckParameters(request, {});
                        if (!known.ok()) return ProblemFor(known.error());
                        const auto id = IdInPath("job", path.Get("id"));
                        if (!id.ok()) return ProblemFor(id.error());
                        return handle(services, request, *id, caller);
                      },
                      "claim", true});
  }
  return routes;
}

}  // namespace tunehub::server
