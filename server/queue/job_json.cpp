#include "server/queue/job_json.h"

#include <fmt/core.h>

#include <chrono>

#include "core/base/read_json.h"
#include "server/answers/answer.h"
#include "server/answers/body.h"
#include "server/answers/problems.h"
#include "server/queue/planner.h"

namespace tunehub::server {

using Json = nlohmann::ordered_json;

Json LeaseJson(const QueueServices& services, const JobRecord& job) {
  if (job.state != "running") return {};
  const std::chrono::duration<double> length = services.queue.leases.times().lease;
  return {{"epoch", job.epoch}, {"expires", job.lease_expires}, {"seconds", length.count()}};
}

Json JobJson(const QueueServices& services, const JobRecord& job, bool with_shapes) {
  Json shapes = core::SureJsonAs<Json>(job.shapes);
  Json json = {{"id", job.id},
               {"family", services.definitions.NameOf(job.family)},
               {"purpose", job.purpose},
               {"gfx", job.gfx},
               {"cu_num", job.cu_num == 0 ? Json() : Json(job.cu_num)}};
  json["shape_count"] = shapes.size();
  if (with_shapes) json["shapes"] = std::move(shapes);
  json.update({{"state", job.state},
               {"priority", job.priority},
               {"weight", job.weight},
               {"campaign", TextOrNull(job.campaign)},
               {"why", TextOrNull(job.why)},
               {"agent", TextOrNull(job.state == "queued" ? "" : job.agent)},
               {"owner", job.state == "queued" || job.agent.empty() ? Json() : Json(job.owner)},
               {"lease", LeaseJson(services, job)},
               {"tries", job.tries},
               {"progress", job.progress.empty() ? Json() : core::SureJsonAs<Json>(job.progress)},
               {"run", job.run ? Json(*job.run) : Json()},
               {"reasons", core::SureJsonAs<Json>(job.reasons)},
               {"created", job.created},
               {"claimed", TextOrNull(job.claimed)},
               {"finished", TextOrNull(job.finished)}});
  return json;
}

http::Response JobAnswer(const QueueServices& services, const core::Result<JobRecord>& job) {
  if (!job.ok()) return ProblemFor(job.error());
  return http::JsonResponse(200, JobJson(services, *job).dump());
}

std::string AgentName(core::JsonObject& body) {
  return PlainText(body, "agent", kMaxAgentBytes, true);
}

std::string AgentInstance(core::JsonObject& body) {
  return PlainText(body, "instance", kMaxAgentBytes, false);
}

std::string PurposeOf(core::JsonObject& body) {
  std::string purpose = body.Text("purpose", kTune);
  if (purpose != kTune && purpose != kVerify) {
    body.Fail("purpose", fmt::format("must be tune or verify, but is '{}'", purpose));
  }
  return purpose;
}

const nlohmann::json* ShapeList(core::JsonObject& body) {
  const nlohmann::json* const shapes = body.Value("shapes");
  if (shapes != nullptr && shapes->is_array() && !shapes->empty() &&
      shapes->size() <= kMaxJobShapes)
    return shapes;
  body.Fail("shapes", fmt::format("must be an array of 1 to {} shapes", kMaxJobShapes));
  return nullptr;
}

}  // namespace tunehub::server
