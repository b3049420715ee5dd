#include "server/ingest/routes.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/archive.h"
#include "core/base/read_json.h"
#include "server/answers/answer.h"
#include "server/answers/body.h"
#include "server/answers/issues.h"
#include "server/answers/parameters.h"
#include "server/answers/problems.h"
#include "server/keys/keys.h"

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
          {"confirmed", run.confirmed},
          {"rows", run.rows},
          {"stored", run.stored},
          {"repeats", run.repeats ? Json(*run.repeats) : Json()},
          {"reverted", TextOrNull(run.reverted)},
          {"provenance", core::SureJsonAs<Json>(run.provenance)}};
}

namespace {

http::Response PostResults(const IngestServices& services, const http::Request& request,
                           const core::Family& family, const Caller& caller) {
  RequestQuery query(request, {"run", "atomic", "dry_run", "allow_shrink"});
  const TablePost post = ReadTablePost(services, query, request, caller);
  const auto run = query.Number("run", 1, kMaxId);
  if (!query.ok()) return ProblemFor(query.error());
  return WriteResponse(services.ingest.Results(family, post.body, post.format, run, post.write));
}

constexpr std::size_t kMaxFiles = 10'000;          // AITER's tree has 163 tables
constexpr std::string_view kRunFile = "run.json";  // beside the tables

// Removes the file `name`, which is not a table, from the archive's files and returns its bytes.
std::optional<std::string> Take(std::vector<core::TarFile>& files, std::string_view name) {
  const auto file = std::ranges::find_if(files, [&](const core::TarFile& it) {
    return it.name == name || it.name == "./" + std::string(name);
  });
  if (file == files.end()) return std::nullopt;
  std::string bytes = std::move(file->bytes);
  files.erase(file);
  return bytes;
}

// Returns the run that the text describes. Returns nothing without a text. Errors: those of
// ReadRun.
core::Result<std::optional<RunContent>> RunIn(const std::optional<std::string>& text) {
  if (!text) return std::optional<RunContent>();
  auto run = ReadRun(*text);
  if (run.ok()) return std::optional<RunContent>(*std::move(run));
  core::Error error = run.error();
  error.detail = fmt::format("{}: {}", kRunFile, error.detail);
  return error;
}

http::Response PostImport(const IngestServices& services, const http::Request& request,
                          const Caller& caller) {
  RequestQuery query(request, {"source", "atomic", "dry_run", "allow_shrink"});
  const std::string source = query.Text("source", kMaxSourceBytes).value_or("");
  if (!source.empty() && !IsSourceName(source))
    query.Fail(NotAllowed("source", source, std::string(kSourceRule)));
  const std::string body = DecodedBody(query, request, services.body_bytes);
  if (!query.ok()) return ProblemFor(query.error());
  auto files = query.Take(core::ReadTar(body, {.bytes = services.body_bytes, .files = kMaxFiles}));
  const auto run = query.Take(RunIn(Take(files, kRunFile)));
  const WriteRequest write = ReadWriteRequest(query, request, body, caller);
  if (!query.ok()) return ProblemFor(query.error());
  return WriteResponse(services.ingest.Import(source, files, write, run));
}

constexpr std::int64_t kDefaultRuns = 50, kMaxRuns = 500;

http::Response PostRun(const IngestServices& services, const http::Request& request,
                       const Caller& caller) {
  RequestQuery query(request, {});
  const std::string body = DecodedBody(query, request, kMaxRunBytes);
  const RunContent content = query.Take(ReadRun(body));
  if (!query.ok()) return ProblemFor(query.error());
  bool created = false;
  const auto run = services.runs.Create(content, caller, created);
  if (!run.ok()) return ProblemFor(run.error());
  http::Response response = http::JsonResponse(created ? 201 : 200, RunJson(*run).dump());
  response.headers.emplace_back("Location", fmt::format("/runs/{}", run->id));
  return response;
}

http::Response GetRuns(const IngestServices& services, const http::Request& request) {
  RequestQuery query(request, {"after", "limit", "counts"});
  const std::int64_t before = query.Number("after", 1, kMaxId, kMaxId);
  const std::size_t limit = query.Size("limit", 1, kMaxRuns, kDefaultRuns);
  const bool counts = query.Flag("counts");
  if (!query.ok()) return ProblemFor(query.error());
  const auto runs = services.runs.store.Select({.before_id = before}, limit);
  std::map<std::int64_t, RunTally> tallies;
  if (counts) tallies = services.runs.store.Count(runs);
  Json json = {{"runs", Json::array()}};
  for (const RunRecord& run : runs) {
    Json& one = json["runs"].emplace_back(RunJson(run));
    if (!counts) continue;
    const RunTally& tally = tallies[run.id];
    one["won"] = tally.won;
    one["quarantined"] = tally.quarantined;
    one["families"] = tally.families;
  }
  http::Response response = http::JsonResponse(200, json.dump());
  if (runs.size() == limit)
    AddNextPage(response, request, {{"after", std::to_string(runs.back().id)}});
  return response;
}

http::Response GetRun(const IngestServices& services, const http::Request& request,
                      std::string_view text) {
  RequestQuery query(request, {});
  const std::int64_t id = query.Id("run", text);
  if (!query.ok()) return ProblemFor(query.error());
  const auto found = services.runs.Find(id);
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

// Answers with `json` and the changes by the write.
http::Response Rechosen(const IngestServices& services, Json json, const RevertOutcome& outcome,
                        bool dry_run) {
  json["batch"] = dry_run ? Json() : Json(outcome.batch);
  if (dry_run) json["dry_run"] = true;
  json["changed"] = outcome.changed;
  json["families"] = Json::array();
  for (const auto& [family, changed, emptied] : outcome.families) {
    json["families"].push_back({{"family", family}, {"changed", changed}, {"emptied", emptied}});
  }
  AddRevision(json, dry_run ? services.snapshots.Current()->revision : outcome.revision);
  return http::JsonResponse(200, json.dump());
}

http::Response PostRevert(const IngestServices& services, const http::Request& request,
                          std::string_view text, const Caller& caller) {
  RequestQuery query(request, {"dry_run", "allow_shrink"});
  const std::int64_t id = query.Id("run", text);
  const bool dry_run = query.Flag("dry_run");
  const bool allow_shrink = AllowsShrink(query, caller);
  if (!query.ok()) return ProblemFor(query.error());
  // API keys of the default owner may not revert, because some of these keys are older than the
  // owners' right to revert.
  if (!caller.admin && caller.owner == kDefaultOwner) {
    return http::Problem(403, "wrong_scope",
                         "only keys of the run's owner, or of scope admin, may revert a run; this "
                         "key has no owner and another scope");
  }
  const auto reverted = services.runs.Revert(id, caller, dry_run, allow_shrink);
  if (!reverted.ok()) return ProblemFor(reverted.error());
  return Rechosen(services, {{"reverted", id}}, *reverted, dry_run);
}

constexpr std::size_t kMaxAcceptBytes = 4096;

http::Response PostAcceptance(const IngestServices& services, const http::Request& request,
                              const Caller& caller) {
  RequestQuery query(request, {"dry_run"});
  const bool dry_run = query.Flag("dry_run");
  std::int64_t run = 0;
  ReadBody(query, request, kMaxAcceptBytes, [&](core::JsonObject& body, auto&) {
    if (!body.Has("run")) body.Fail("run", "is missing");
    run = BoundedInteger(body, "run", 1, 1, kMaxId);
  });
  if (!query.ok()) return ProblemFor(query.error());
  const auto accepted = services.runs.Accept(run, caller, dry_run);
  if (!accepted.ok()) return ProblemFor(accepted.error());
  return Rechosen(services, {{"run", run}, {"accepted", accepted->accepted}}, *accepted, dry_run);
}

}  // namespace

std::vector<Endpoint> IngestRoutes(const IngestServices& services) {
  return {
      {"POST", "/results/{family}", WithFamily(services, PostResults), "submit", true},
      {"POST", "/import", With(services, PostImport), "submit", true},
      {"GET", "/runs", With(services, GetRuns)},
      {"POST", "/runs", With(services, PostRun), "submit", true},
      Heavy({"GET", "/runs/{id}", With(services, GetRun, "id")}),
      {"POST", "/runs/{id}/revert", With(services, PostRevert, "id"), "submit", true},
      {"POST", "/rows/accept", With(services, PostAcceptance), "admin", true},
  };
}

}  // namespace tunehub::server
