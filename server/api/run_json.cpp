#include "server/api/run_json.h"

#include "core/base/read_json.h"
#include "server/api/job_json.h"

namespace tunehub::api {
using Json = nlohmann::ordered_json;

nlohmann::ordered_json RunJson(const service::RunRecord& run) {
  return {{"id", run.id},
          {"hash", run.hash.Uuid()},
          {"started", run.started},
          {"finished", TextOrNull(run.finished)},
          {"received", run.received},
          {"provider", run.provider ? Json(registry::Name(*run.provider)) : Json()},
          {"source", TextOrNull(run.source)},
          {"owner", run.owner},
          {"error_limit", run.error_limit ? Json(*run.error_limit) : Json()},
          {"active", run.active},
          {"rows", run.rows},
          {"stored", run.stored},
          {"repeats", run.repeats ? Json(*run.repeats) : Json()},
          {"reverted", TextOrNull(run.reverted)},
          {"provenance", core::SureJsonAs<Json>(run.provenance)}};
}

}  // namespace tunehub::api
