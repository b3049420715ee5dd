// Routes of builds of AITER, by their manifests.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/read_json.h"
#include "server/answers/answer.h"
#include "server/answers/parameters.h"
#include "server/answers/problems.h"
#include "server/answers/route.h"
#include "server/tables/build_store.h"
#include "server/tables/builds.h"
#include "server/tables/routes.h"

namespace tunehub::server {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kDefaultBuilds = 50, kMaxBuilds = 500;

std::string NameOf(const BuildRecord& build) {
  return BuildName{build.name, build.sha256}.Text();
}

Json BuildJson(const BuildRecord& build) {
  const Json summary = core::SureJsonAs<Json>(build.summary);
  return {{"build", NameOf(build)},
          {"name", build.name},
          {"sha256", build.sha256},
          {"kind", build.kind},
          {"versions", summary.at("versions")},
          {"kernels", summary.at("kernels")},
          {"modules", summary.at("modules")},
          {"created", build.created}};
}

http::Response StoreBuild(const TableServices& services, const http::Request& request,
                          std::string_view name, const Caller& caller) {
  RequestQuery query(request, {"allow_shrink"});
  const bool allow_shrink = AllowsShrink(query, caller);
  if (FormatOf(query, request) != BodyFormat::kCsv)
    query.Fail({"bad_content_type", "send the manifest as text/csv"});
  const std::string body =
      DecodedBody(query, request, std::min(services.body_bytes, core::kMaxManifestBytes));
  if (!query.ok()) return ProblemFor(query.error());
  std::vector<core::RowIssue> issues;
  const auto put = services.tables.Put(name, body, allow_shrink, caller, issues);
  if (!put.ok()) return ProblemFor(put.error(), issues);
  Json json = BuildJson(put->record);
  json["new"] = put->created;
  http::Response response = http::JsonResponse(put->created ? 201 : 200, json.dump());
  response.headers.emplace_back("Location", "/builds/" + NameOf(put->record));
  return response;
}

http::Response GetBuild(const TableServices& services, const http::Request& request,
                        std::string_view text) {
  RequestQuery query(request, {"format"});
  const bool csv = query.Choice("format", {"json", "csv"}) == "csv";
  const BuildName name = query.Take(ParseBuildName(text));
  if (!query.ok()) return ProblemFor(query.error());
  const auto record = services.tables.builds().Record(name);
  if (!record.ok()) return ProblemFor(record.error());
  http::Response response;
  if (csv) {
    const auto build = services.tables.builds().Find({record->name, record->sha256});
    if (!build.ok()) return ProblemFor(build.error());
    response = http::TextResponse(200, "text/csv; charset=utf-8", (*build)->manifest.Text());
  } else {
    response = http::JsonResponse(200, BuildJson(*record).dump());
  }
  response.headers.emplace_back("Cache-Control", name.pinned() ? kImmutable : kAskAgain);
  response.headers.emplace_back("Tunehub-Build", NameOf(*record));
  return response;
}

http::Response GetBuilds(const TableServices& services, const http::Request& request) {
  RequestQuery query(request, {"name", "after", "limit"});
  const std::string name = query.Text("name", kMaxBuildNameBytes).value_or("");
  const std::int64_t before = query.Number("after", 1, kMaxId, kMaxId);
  const std::size_t limit = query.Size("limit", 1, kMaxBuilds, kDefaultBuilds);
  if (!query.ok()) return ProblemFor(query.error());
  const auto builds = services.tables.builds().List(before, name, limit);
  Json json = {{"builds", Json::array()}};
  for (const BuildRecord& build : builds) json["builds"].push_back(BuildJson(build));
  http::Response response = http::JsonResponse(200, json.dump());
  if (builds.size() == limit)
    AddNextPage(response, request, {{"after", std::to_string(builds.back().put)}});
  return response;
}

}  // namespace

std::vector<Endpoint> BuildRoutes(const TableServices& services) {
  return {
      {"GET", "/builds", With(services, GetBuilds)},
      {"GET", "/builds/{name}", With(services, GetBuild, "name")},
      {"PUT", "/builds/{name}", With(services, StoreBuild, "name"), "submit", true},
  };
}

}  // namespace tunehub::server
