#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "core/base/read_json.h"
#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/revision.h"
#include "server/api/route.h"
#include "server/api/run_json.h"
#include "server/service/ingest/run_description.h"

namespace tunehub::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kDefaultRuns = 50, kMaxRuns = 500;

http::Response PostRun(Services& services, const http::Request& request, const Caller& caller) {
  if (const auto known = CheckParameters(request, {}); !known.ok())
    return ProblemFor(known.error());
  const auto body = DecodedBody(request, service::kMaxRunBytes);
  if (!body.ok()) return ProblemFor(body.error());
  const auto content = service::ReadRun(*body);
  if (!content.ok()) return ProblemFor(content.error());
  bool created = false;
  const service::RunRecord run = services.runs.Create(*content, caller, created);
  http::Response response = http::JsonResponse(created ? 201 : 200, RunJson(run).dump());
  response.headers.emplace_back("Location", fmt::format("/runs/{}", run.id));
  return response;
}

void AddCounts(const std::map<std::int64_t, service::RunTally>& tallies, Json& runs) {
  for (Json& run : runs) {
    const auto found = tallies.find(run["id"].get<std::int64_t>());
    const service::RunTally tally = found == tallies.end() ? service::RunTally() : found->second;
    run["won"] = tally.won;
    run["quarantined"] = tally.quarantined;
    run["families"] = tally.families;
  }
}

http::Response GetRuns(const Services& services, const http::Request& request) {
  if (const auto known = CheckParameters(request, {"before", "limit", "counts"}); !known.ok()) {
    return ProblemFor(known.error());
  }
  const auto before = NumberParameter(request, "before", 1, kMaxId);
  if (!before.ok()) return ProblemFor(before.error());
  const auto limit = NumberParameter(request, "limit", 1, kMaxRuns);
  if (!limit.ok()) return ProblemFor(limit.error());
  const auto counts = FlagParameter(request, "counts");
  if (!counts.ok()) return ProblemFor(counts.error());
  const auto size = static_cast<std::size_t>(limit->value_or(kDefaultRuns));
  const auto runs = services.runs.List(before->value_or(kMaxId), size);
  Json json = {{"runs", Json::array()}};
  for (const service::RunRecord& run : runs) json["runs"].push_back(RunJson(run));
  if (*counts) AddCounts(services.runs.Count(runs), json["runs"]);
  http::Response response = http::JsonResponse(200, json.dump());
  if (runs.size() == size) {
    response.headers.emplace_back(
        "Link", fmt::format(R"(</runs?before={}&limit={}>; rel="next")", runs.back().id, size));
  }
  return response;
}

http::Response GetRun(const Services& services, const http::Request& request,
                      std::string_view text) {
  if (const auto known = CheckParameters(request, {}); !known.ok())
    return ProblemFor(known.error());
  const auto id = IdInPath("run", text);
  if (!id.ok()) return ProblemFor(id.error());
  const auto found = services.runs.Find(*id);
  if (!found.ok()) return ProblemFor(found.error());
  Json json = RunJson(found->run);
  json["repeated"] = Json::array();
  for (const service::RepeatedRun& it : found->repeated) {
    json["repeated"].push_back({{"run", it.run}, {"rows", it.rows}});
  }
  json["batches"] = Json::array();
  for (const service::BatchRecord& batch : found->batches) {
    json["batches"].push_back({{"id", batch.id},
                               {"kind", batch.kind},
                               {"received", batch.received},
                               {"receipt", core::SureJsonAs<Json>(batch.receipt)}});
  }
  return http::JsonResponse(200, json.dump());
}

// Nobody was given such a key to take runs back: it was made when that needed scope admin.
http::Response RevertNeedsAdmin() {
  return http::Problem(403, "wrong_scope",
                       "the key lacks the scope admin, and it names no owner: a run is reverted by "
                       "its owner's keys and those of scope admin");
}

http::Response PostRevert(Services& services, const http::Request& request, std::string_view text,
                          const Caller& caller) {
  if (const auto known = CheckParameters(request, {"dry_run", "allow_shrink"}); !known.ok())
    return ProblemFor(known.error());
  const auto id = IdInPath("run", text);
  if (!id.ok()) return ProblemFor(id.error());
  const auto dry_run = FlagParameter(request, "dry_run");
  if (!dry_run.ok()) return ProblemFor(dry_run.error());
  const auto allow_shrink = AllowsShrink(request, caller);
  if (!allow_shrink.ok()) return ProblemFor(allow_shrink.error());
  if (!caller.admin && caller.owner == service::kDefaultOwner) return RevertNeedsAdmin();
  const auto reverted = services.runs.Revert(*id, caller, *dry_run, *allow_shrink);
  if (!reverted.ok()) return ProblemFor(reverted.error());
  Json json = {{"reverted", *id}, {"batch", *dry_run ? Json() : Json(reverted->batch)}};
  if (*dry_run) json["dry_run"] = true;
  json["changed"] = reverted->changed;
  json["families"] = Json::array();
  for (const auto& [family, changed, emptied] : reverted->families) {
    json["families"].push_back({{"family", family}, {"changed", changed}, {"emptied", emptied}});
  }
  AddRevision(json, *dry_run ? services.snapshots.Current()->revision : reverted->revision);
  return http::JsonResponse(200, json.dump());
}

}  // namespace

std::vector<Endpoint> RunRoutes(Services& services) {
  return {
      {"GET", "/runs", With(services, GetRuns)},
      {"POST", "/runs", With(services, PostRun), "submit", true},
      Heavy({"GET", "/runs/{id}", With(services, GetRun, "id")}),
      {"POST", "/runs/{id}/revert", With(services, PostRevert, "id"), "submit", true},
  };
}

}  // namespace tunehub::api
