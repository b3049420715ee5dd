#include "server/queue/routes.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/base/read_json.h"
#include "core/base/text.h"
#include "core/row/target.h"
#include "server/answers/answer.h"
#include "server/answers/parameters.h"
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

void ReadBody(RequestQuery& query, const http::Request& request, std::size_t limit,
              const std::function<void(core::JsonObject&, core::JsonErrors&)>& read) {
  const std::string text = DecodedBody(query, request, limit);
  if (!query.ok()) return;
  core::JsonErrors errors("body", "bad_request_body");
  const nlohmann::json json = core::ParseJson(text, errors);
  if (errors.any()) return query.Fail(errors.first());
  core::JsonObject body(json, "", errors);
  read(body, errors);
  body.Finish();
  if (errors.any()) query.Fail(errors.first());
}

std::string PlainText(core::JsonObject& body, const std::string& member, std::size_t limit,
                      bool required) {
  std::string text = required ? body.Text(member) : body.Text(member, "");
  if (text.size() > limit || core::HoldsControl(text) || (required && text.empty())) {
    body.Fail(member, fmt::format("must be {} to {} bytes without control characters, not '{}'",
                                  required ? 1 : 0, limit, core::Excerpt(text)));
  }
  return text;
}

std::string AgentName(core::JsonObject& body) {
  return PlainText(body, "agent", kMaxAgentBytes, true);
}

std::string AgentInstance(core::JsonObject& body) {
  return PlainText(body, "instance", kMaxAgentBytes, false);
}

core::Target TargetOf(const Services& services, core::JsonObject& body, bool any_cu_num) {
  core::Target target;
  const auto named = core::NamedTarget(services.definitions.targets.devices(), body.Text("gfx"));
  if (named.ok())
    target = *named;
  else
    body.Fail("gfx", named.error().detail);
  const bool given = body.Has("cu_num") && !body.Value("cu_num")->is_null();
  if (given) {
    target.cu_num = static_cast<int>(BoundedInteger(body, "cu_num", 0, 1, core::kMaxCuNum));
  } else if (target.cu_num > 0) {
    (void)body.Value("cu_num");  // null: the product determines it
  } else if (body.Value("cu_num") == nullptr && !any_cu_num) {
    body.Fail("cu_num", "is missing");
  } else if (!any_cu_num) {
    body.Fail("cu_num", "must be an integer, not null");
  }
  return target;
}

std::string PurposeOf(core::JsonObject& body) {
  std::string purpose = body.Text("purpose", kTune);
  if (purpose != kTune && purpose != kMeasure) {
    body.Fail("purpose", fmt::format("must be tune or measure, not '{}'", purpose));
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

std::int64_t BoundedInteger(core::JsonObject& body, const std::string& member,
                            std::int64_t fallback, std::int64_t min, std::int64_t max) {
  const std::int64_t value = body.Integer(member, fallback);
  if (value < min || value > max) {
    body.Fail(member, fmt::format("{} is not within {}..{}", value, min, max));
  }
  return value;
}

}  // namespace tunehub::server
