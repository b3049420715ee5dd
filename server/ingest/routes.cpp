#include "server/ingest/routes.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/read_json.h"
#include "core/system/tar.h"
#include "server/answers/answer.h"
#include "server/answers/issues.h"
#include "server/answers/parameters.h"
#include "server/answers/problems.h"
#include "server/answers/route.h"
#include "server/ingest/runs.h"
#include "server/keys/keys.h"
#include "server/queue/routes.h"

namespace tunehub::server {

using Json = nlohmann::ordered_json;

nlohmann::ordered_json RunJson(const RunRecord& run) {
  return {{"id", run.id},
          {"hash", run.hash.Uuid()},
          {"started", run.started},
          {"finished", TextOrNull(run.finished)},
          {"received", run.received},
          {"provider", run.provider ? Json(Name(*run.provider)) : Json()},
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

namespace {

http::Response PostResults(const IngestServices& services, const http::Request& request,
                           std::string_view family_name, const Caller& caller) {
  const auto post = ReadTablePost(services, request, family_name, caller,
                                  {"run", "atomic", "dry_run", "allow_shrink"});
  if (!post.ok()) return ProblemFor(post.error());
  const auto run = NumberParameter(request, "run", 1, std::numeric_limits<std::int64_t>::max());
  if (!run.ok()) return ProblemFor(run.error());
  return WriteResponse(
      services.ingest.Results(*post->family, post->body, post->format, *run, post->write));
}

constexpr std::size_t kMaxFiles = 10'000;          // AITER's tree has 163 tables
constexpr std::string_view kRunFile = "run.json";  // beside the tables

// The bytes of the archive's file of that name, which is no table.
std::optional<std::string> Take(std::vector<core::TarFile>& files, std::string_view name) {
  const auto file = std::ranges::find_if(files, [&](const core::TarFile& it) {
    return it.name == name || it.name == "./" + std::string(name);
  });
  if (file == files.end()) return std::nullopt;
  std::string bytes = std::move(file->bytes);
  files.erase(file);
  return bytes;
}

// What is said of the run that these rows are of; nothing where nothing is said. Errors: those of
// ReadRun.
core::Result<std::optional<RunContent>> RunIn(const std::optional<std::string>& text) {
  if (!text) return std::optional<RunContent>();
  auto run = ReadRun(*text);
  if (run.ok()) return std::optional<RunContent>(*std::move(run));
  core::Error error = run.error();
  error.detail = fmt::format("{}: {}", kRunFile, error.detail);
  return error;
}

core::Result<std::optional<std::string>> SourceParameter(const http::Request& request) {
  auto source = TextParameter(request, "source", kMaxSourceBytes);
  if (!source.ok() || !*source || IsSourceName(**source)) return source;
  return NotAllowed("source", **source, std::string(kSourceRule));
}

http::Response PostImport(const IngestServices& services, const http::Request& request,
                          const Caller& caller) {
  const auto known = CheckParameters(request, {"source", "atomic", "dry_run", "allow_shrink"});
  if (!known.ok()) return ProblemFor(known.error());
  const auto source = SourceParameter(request);
  if (!source.ok()) return ProblemFor(source.error());
  const auto body = DecodedBody(request, services.body_bytes);
  if (!body.ok()) return ProblemFor(body.error());
  auto files = core::ReadTar(*body, {.bytes = services.body_bytes, .files = kMaxFiles});
  if (!files.ok()) return ProblemFor(files.error());
  const auto run = RunIn(Take(*files, kRunFile));
  if (!run.ok()) return ProblemFor(run.error());
  const auto write = ReadWriteRequest(request, *body, caller);
  if (!write.ok()) return ProblemFor(write.error());
  return WriteResponse(services.ingest.Import(source->value_or(""), *files, *write, *run));
}

using Json = nlohmann::ordered_json;

constexpr std::int64_t kDefaultRuns = 50, kMaxRuns = 500;

http::Response PostRun(const IngestServices& services, const http::Request& request,
                       const Caller& caller) {
  if (const auto known = CheckParameters(request, {}); !known.ok())
    return ProblemFor(known.error());
  const auto body = DecodedBody(request, kMaxRunBytes);
  if (!body.ok()) return ProblemFor(body.error());
  const auto content = ReadRun(*body);
  if (!content.ok()) return ProblemFor(content.error());
  bool created = false;
  const RunRecord run = services.runs.Create(*content, caller, created);
  http::Response response = http::JsonResponse(created ? 201 : 200, RunJson(run).dump());
  response.headers.emplace_back("Location", fmt::format("/runs/{}", run.id));
  return response;
}

void AddCounts(const std::map<std::int64_t, RunTally>& tallies, Json& runs) {
  for (Json& run : runs) {
    const auto found = tallies.find(run["id"].get<std::int64_t>());
    const RunTally tally = found == tallies.end() ? RunTally() : found->second;
    run["won"] = tally.won;
    run["quarantined"] = tally.quarantined;
    run["families"] = tally.families;
  }
}

http::Response GetRuns(const IngestServices& services, const http::Request& request) {
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
  for (const RunRecord& run : runs) json["runs"].push_back(RunJson(run));
  if (*counts) AddCounts(services.runs.Count(runs), json["runs"]);
  http::Response response = http::JsonResponse(200, json.dump());
  if (runs.size() == size) {
    response.headers.emplace_back(
        "Link", fmt::format(R"(</runs?before={}&limit={}>; rel="next")", runs.back().id, size));
  }
  return response;
}

http::Response GetRun(const IngestServices& services, const http::Request& request,
                      std::string_view text) {
  if (const auto known = CheckParameters(request, {}); !known.ok())
    return ProblemFor(known.error());
  const auto id = IdInPath("run", text);
  if (!id.ok()) return ProblemFor(id.error());
  const auto found = services.runs.Find(*id);
  if (!found.ok()) return ProblemFor(found.error());
  Json json = RunJson(found->run);
  json["repeated"] = Json::array();
  for (const RepeatedRun& it : found->repeated) {
    json["repeated"].push_back({{"run", it.run}, {"rows", it.rows}});
  }
  json["batches"] = Json::array();
  for (const BatchRecord& batch : found->batches) {
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

http::Response PostRevert(const IngestServices& services, const http::Request& request,
                          std::string_view text, const Caller& caller) {
  if (const auto known = CheckParameters(request, {"dry_run", "allow_shrink"}); !known.ok())
    return ProblemFor(known.error());
  const auto id = IdInPath("run", text);
  if (!id.ok()) return ProblemFor(id.error());
  const auto dry_run = FlagParameter(request, "dry_run");
  if (!dry_run.ok()) return ProblemFor(dry_run.error());
  const auto allow_shrink = AllowsShrink(request, caller);
  if (!allow_shrink.ok()) return ProblemFor(allow_shrink.error());
  if (!caller.admin && caller.owner == kDefaultOwner) return RevertNeedsAdmin();
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

std::vector<Endpoint> IngestRoutes(const IngestServices& services) {
  return {
      {"POST", "/results/{family}", With(services, PostResults, "family"), "submit", true},
      {"POST", "/import", With(services, PostImport), "submit", true},
      {"GET", "/runs", With(services, GetRuns)},
      {"POST", "/runs", With(services, PostRun), "submit", true},
      Heavy({"GET", "/runs/{id}", With(services, GetRun, "id")}),
      {"POST", "/runs/{id}/revert", With(services, PostRevert, "id"), "submit", true},
  };
}

}  // namespace tunehub::server
