#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/ascii.h"
#include "core/base/excerpt.h"
#include "core/base/hash128.h"
#include "core/base/json_overflow.h"
#include "core/base/rfc3339.h"
#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/route.h"

namespace tunehub::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kDefaultRuns = 50, kMaxRuns = 500;
constexpr std::size_t kMaxProvenanceBytes = 64 * 1024;
// Free text about where a run was made. Anything else in the body is a mistake.
constexpr std::string_view kProvenance[] = {"host",  "gpu",      "gfx",      "cu_num", "driver",
                                            "rocm",  "aiter",    "compiler", "tuner",  "arguments",
                                            "agent", "campaign", "note"};

Json TextOrNull(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json RunJson(const service::RunRecord& run) {
  return {{"id", run.id},
          {"hash", run.hash.Uuid()},
          {"started", run.started},
          {"finished", TextOrNull(run.finished)},
          {"received", run.received},
          {"provider", run.provider ? Json(registry::Name(*run.provider)) : Json()},
          {"source", TextOrNull(run.source)},
          {"error_limit", run.error_limit ? Json(*run.error_limit) : Json()},
          {"active", run.active},
          {"rows", run.rows},
          {"stored", run.stored},
          {"repeats", run.repeats ? Json(*run.repeats) : Json()},
          {"reverted", TextOrNull(run.reverted)},
          {"provenance", Json::parse(run.provenance)}};
}

core::Error BadRun(const std::string& member, const std::string& what) {
  return {"bad_run", fmt::format("'{}': {}", core::Excerpt(member), what)};
}

core::Status ReadTime(const Json& value, const std::string& member, std::string& out) {
  if (!value.is_string() || !core::IsRfc3339(value.get<std::string>())) {
    return BadRun(member, "must be a time such as 2026-01-31T12:00:00Z");
  }
  out = value.get<std::string>();
  return core::Ok();
}

// PostgreSQL's jsonb has no U+0000, and neither it nor a reader wants lists within lists.
bool IsPlain(const Json& value) {
  if (value.is_number()) return true;
  if (!value.is_string()) return false;
  return !core::HoldsControl(value.get_ref<const std::string&>());
}

core::Status ReadMember(const std::string& member, const Json& value, service::RunContent& run,
                        Json& provenance) {
  if (member == "started") return ReadTime(value, member, run.started);
  if (member == "finished") return ReadTime(value, member, run.finished);
  if (member == "provider") {
    if (value.is_string()) run.provider = registry::ParseProvider(value.get<std::string>());
    return run.provider ? core::Ok()
                        : BadRun(member, "must be one of " + registry::ProviderNames());
  }
  if (member == "error_limit") {
    if (!value.is_number() || value.get<double>() <= 0 || value.get<double>() > 1) {
      return BadRun(member, "must be a share above 0 and at most 1");
    }
    run.error_limit = value.get<double>();
    return core::Ok();
  }
  if (std::find(std::begin(kProvenance), std::end(kProvenance), member) == std::end(kProvenance)) {
    return BadRun(member,
                  fmt::format("is unknown; a run has started, finished, provider, error_limit, {}",
                              fmt::join(kProvenance, ", ")));
  }
  const bool list = value.is_array() && std::all_of(value.begin(), value.end(), IsPlain);
  if (!list && !IsPlain(value)) {
    return BadRun(member, "must be a text without control characters, a number, or a list of such");
  }
  provenance[member] = value;
  return core::Ok();
}

core::Result<service::RunContent> ReadRun(std::string_view body) {
  if (body.size() > kMaxProvenanceBytes) {
    return core::Error{"too_large", fmt::format("a run's description is larger than {} bytes",
                                                kMaxProvenanceBytes)};
  }
  const Json json = Json::parse(body, nullptr, false);
  if (json.is_discarded()) {
    if (const auto overflow = core::FindOverflow(body)) return *overflow;
  }
  if (!json.is_object()) return core::Error{"bad_json", "the body is no JSON object"};
  service::RunContent run;
  Json provenance = Json::object();
  for (const auto& [member, value] : json.items()) {
    if (const auto status = ReadMember(member, value, run, provenance); !status.ok())
      return status.error();
  }
  if (!run.started.empty() && !run.finished.empty() &&
      *core::Rfc3339Microseconds(run.finished) < *core::Rfc3339Microseconds(run.started)) {
    return BadRun("finished", fmt::format("{} is before 'started', {}", run.finished, run.started));
  }
  run.provenance = provenance.dump();
  // Sorted members: the same content in another order is the same run.
  run.hash = core::HashOf(nlohmann::json::parse(body).dump());
  return run;
}

http::Response PostRun(Services& services, const http::Request& request) {
  if (const auto known = CheckParameters(request, {}); !known.ok())
    return ProblemFor(known.error());
  const auto body = DecodedBody(request, kMaxProvenanceBytes);
  if (!body.ok()) return ProblemFor(body.error());
  const auto content = ReadRun(*body);
  if (!content.ok()) return ProblemFor(content.error());
  bool created = false;
  const service::RunRecord run = services.runs.Create(*content, created);
  http::Response response = http::JsonResponse(created ? 201 : 200, RunJson(run).dump());
  response.headers.emplace_back("Location", fmt::format("/runs/{}", run.id));
  return response;
}

http::Response GetRuns(const Services& services, const http::Request& request) {
  if (const auto known = CheckParameters(request, {"before", "limit"}); !known.ok()) {
    return ProblemFor(known.error());
  }
  const auto before = NumberParameter(request, "before", 1, kMaxId);
  if (!before.ok()) return ProblemFor(before.error());
  const auto limit = NumberParameter(request, "limit", 1, kMaxRuns);
  if (!limit.ok()) return ProblemFor(limit.error());
  const auto size = static_cast<std::size_t>(limit->value_or(kDefaultRuns));
  const auto runs = services.runs.List(before->value_or(kMaxId), size);
  Json json = {{"runs", Json::array()}};
  for (const service::RunRecord& run : runs) json["runs"].push_back(RunJson(run));
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
                               {"receipt", Json::parse(batch.receipt)}});
  }
  return http::JsonResponse(200, json.dump());
}

http::Response PostRevert(Services& services, const http::Request& request, std::string_view text,
                          const Caller& caller) {
  if (const auto known = CheckParameters(request, {}); !known.ok())
    return ProblemFor(known.error());
  const auto id = IdInPath("run", text);
  if (!id.ok()) return ProblemFor(id.error());
  const auto reverted = services.runs.Revert(*id, caller.api_key);
  if (!reverted.ok()) return ProblemFor(reverted.error());
  return http::JsonResponse(200, Json({{"reverted", *id},
                                       {"batch", reverted->batch},
                                       {"changed", reverted->changed},
                                       {"revision", reverted->revision}})
                                     .dump());
}

}  // namespace

std::vector<Endpoint> RunRoutes(Services& services) {
  return {
      {"GET", "/runs",
       [&](const auto& request, const auto&, const auto&) { return GetRuns(services, request); }},
      {"POST", "/runs",
       [&](const auto& request, const auto&, const auto&) { return PostRun(services, request); },
       "submit", true},
      {"GET", "/runs/{id}",
       [&](const auto& request, const auto& path, const auto&) {
         return GetRun(services, request, path.Get("id"));
       }},
      {"POST", "/runs/{id}/revert",
       [&](const auto& request, const auto& path, const auto& caller) {
         return PostRevert(services, request, path.Get("id"), caller);
       },
       "admin", true},
  };
}

}  // namespace tunehub::api
