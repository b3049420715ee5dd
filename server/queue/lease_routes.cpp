// Routes for agents: claim a job, renew its lease, complete, fail or release it.
#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "server/answers/body.h"
#include "server/answers/parameters.h"
#include "server/answers/problems.h"
#include "server/answers/route.h"
#include "server/answers/target_parameters.h"
#include "server/queue/job_json.h"
#include "server/queue/routes.h"

namespace tunehub::server {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxReasonBytes = 1000;
constexpr std::size_t kMaxProgressBytes = 4096;
constexpr std::size_t kMaxExceptedJobs = 1000;

// The ids of jobs that the agent released because they do not fit.
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

// Limits the claim to the requested families, or else to the families of the API key. Errors:
// unknown_family, key_limited.
void Narrow(const QueueServices& services, RequestQuery& query, const Caller& caller,
            std::optional<std::vector<std::string>> families, Claimant& claimant) {
  query.Take(CheckTarget(caller, claimant.gfx, claimant.cu_num));
  if (!families && caller.limits && !caller.limits->families.empty()) {
    families = caller.limits->families;
  }
  if (!families) return;
  claimant.families.emplace();
  for (const std::string& name : *families) {
    const core::Family* const family = query.Take(FindFamily(services, name));
    if (family != nullptr) claimant.families->push_back(services.definitions.Id(*family));
  }
  for (const std::string& name : *families) query.Take(CheckFamily(caller, name));
}

http::Response PostClaim(const QueueServices& services, const http::Request& request,
                         const Caller& caller) {
  RequestQuery query(request, {});
  Claimant claimant;
  std::optional<std::vector<std::string>> families;
  ReadBody(query, request, kMaxBodyBytes, [&](core::JsonObject& body, auto&) {
    claimant.agent = AgentName(body);
    claimant.instance = AgentInstance(body);
    const core::Target target = TargetOf(services, body, false);
    claimant.gfx = target.gfx;
    claimant.cu_num = target.cu_num;
    claimant.verifies = body.Boolean("verifies", false);
    claimant.except = ExceptOf(body);
    if (body.Has("families")) families = body.Texts("families");
    if (families && families->empty()) body.Fail("families", "must name at least one");
  });
  claimant.owner = caller.owner;
  Narrow(services, query, caller, families, claimant);
  if (!query.ok()) return ProblemFor(query.error());
  if (const auto job = services.queue.claims.Take(claimant)) return JobAnswer(services, *job);
  http::Response nothing;
  nothing.status = 204;
  return nothing;
}

// The lease in the path and the body. `read` reads the other members of the body.
Lease ReadLease(RequestQuery& query, const http::Request& request, std::string_view id,
                const Caller& caller, const std::function<void(core::JsonObject&)>& read) {
  Lease lease;
  lease.job = query.Id("job", id);
  lease.owner = caller.owner;
  ReadBody(query, request, kMaxBodyBytes, [&](core::JsonObject& body, auto&) {
    lease.agent = AgentName(body);
    lease.instance = AgentInstance(body);
    if (!body.Has("epoch")) body.Fail("epoch", "is missing");
    lease.epoch = static_cast<int>(
        BoundedInteger(body, "epoch", 1, 1, std::numeric_limits<std::int32_t>::max()));
    read(body);
  });
  return lease;
}

std::optional<std::string> ProgressOf(core::JsonObject& body) {
  const nlohmann::json* const value = body.Value("progress");
  if (value == nullptr || value->is_null()) return std::nullopt;
  std::string text = value->dump();
  if (text.size() > kMaxProgressBytes) {
    body.Fail("progress", fmt::format("is larger than {} bytes", kMaxProgressBytes));
  }
  return text;
}

http::Response PostHeartbeat(const QueueServices& services, const http::Request& request,
                             std::string_view id, const Caller& caller) {
  RequestQuery query(request, {});
  std::optional<std::string> progress;
  const Lease lease = ReadLease(query, request, id, caller,
                                [&](core::JsonObject& body) { progress = ProgressOf(body); });
  if (!query.ok()) return ProblemFor(query.error());
  const auto job = services.queue.leases.Heartbeat(lease, progress);
  if (!job.ok()) return ProblemFor(job.error());
  const Json json = {{"id", job->id}, {"state", job->state}, {"lease", LeaseJson(services, *job)}};
  return http::JsonResponse(200, json.dump());
}

http::Response PostComplete(const QueueServices& services, const http::Request& request,
                            std::string_view id, const Caller& caller) {
  RequestQuery query(request, {});
  std::optional<std::int64_t> run;
  const Lease lease = ReadLease(query, request, id, caller, [&](core::JsonObject& body) {
    if (body.Has("run") && !body.Value("run")->is_null())
      run = BoundedInteger(body, "run", 0, 1, kMaxId);
  });
  if (!query.ok()) return ProblemFor(query.error());
  return JobAnswer(services, services.queue.leases.Complete(lease, run));
}

http::Response PostFail(const QueueServices& services, const http::Request& request,
                        std::string_view id, const Caller& caller) {
  RequestQuery query(request, {});
  std::string reason;
  bool park = false;
  const Lease lease = ReadLease(query, request, id, caller, [&](core::JsonObject& body) {
    reason = PlainText(body, "reason", kMaxReasonBytes, true);
    park = body.Boolean("park", false);
  });
  if (!query.ok()) return ProblemFor(query.error());
  return JobAnswer(services, services.queue.leases.Fail(lease, reason, park));
}

http::Response PostRelease(const QueueServices& services, const http::Request& request,
                           std::string_view id, const Caller& caller) {
  RequestQuery query(request, {});
  std::string reason;
  const Lease lease = ReadLease(query, request, id, caller, [&](core::JsonObject& body) {
    reason = PlainText(body, "reason", kMaxReasonBytes, false);
  });
  if (!query.ok()) return ProblemFor(query.error());
  const auto why = reason.empty() ? std::nullopt : std::optional(reason);
  return JobAnswer(services, services.queue.leases.Release(lease, why));
}

}  // namespace

std::vector<Endpoint> LeaseRoutes(const QueueServices& services) {
  Endpoint claim = {"POST", "/jobs/claim", With(services, PostClaim), "claim", true};
  claim.pool = http::Pool::kWrite;  // it may plan demand, which takes time
  return {
      std::move(claim),
      {"POST", "/jobs/{id}/heartbeat", With(services, PostHeartbeat, "id"), "claim", true},
      {"POST", "/jobs/{id}/complete", With(services, PostComplete, "id"), "claim", true},
      {"POST", "/jobs/{id}/fail", With(services, PostFail, "id"), "claim", true},
      {"POST", "/jobs/{id}/release", With(services, PostRelease, "id"), "claim", true},
  };
}

}  // namespace tunehub::server
