#include "server/api/job_json.h"

#include <algorithm>

#include "core/base/read_json.h"

namespace tunehub::api {

using Json = nlohmann::ordered_json;

Json TextOrNull(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

std::string FamilyName(const Services& services, std::int16_t id) {
  const auto& ids = services.definitions.ids;
  const auto found =
      std::find_if(ids.begin(), ids.end(), [&](const auto& entry) { return entry.second == id; });
  return found == ids.end() ? "" : found->first;
}

Json LeaseJson(const Services& services, const service::JobRecord& job) {
  if (job.state != "running") return {};
  const std::chrono::duration<double> length = services.queue.leases.length();
  return {{"epoch", job.epoch}, {"expires", job.lease_expires}, {"seconds", length.count()}};
}

Json JobJson(const Services& services, const service::JobRecord& job, bool with_shapes) {
  Json shapes = core::SureJsonAs<Json>(job.shapes);
  Json json = {{"id", job.id},
               {"family", FamilyName(services, job.family)},
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

}  // namespace tunehub::api
