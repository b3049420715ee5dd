// What builds of AITER can run: manifests.
#include <algorithm>
#include <limits>
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

constexpr std::int64_t kMaxPut = std::numeric_limits<std::int64_t>::max();
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
  if (const auto known = CheckParameters(request, {"allow_shrink"}); !known.ok())
    return ProblemFor(known.error());
  const auto allow_shrink = AllowsShrink(request, caller);
  if (!allow_shrink.ok()) return ProblemFor(allow_shrink.error());
  const auto format = FormatOf(request);
  if (!format.ok()) return ProblemFor(format.error());
  if (*format != BodyFormat::kCsv) {
    return ProblemFor({"bad_content_type", "a manifest is text/csv"});
  }
  const auto body = DecodedBody(request, std::min(services.body_bytes, core::kMaxManifestBytes));
  if (!body.ok()) return ProblemFor(body.error());
  std::vector<core::RowIssue> issues;
  const auto put = services.tables.Put(name, *body, *allow_shrink, caller, issues);
  if (!put.ok()) return ProblemFor(put.error(), issues);
  Json json = BuildJson(put->record);
  json["new"] = put->created;
  http::Response response = http::JsonResponse(put->created ? 201 : 200, json.dump());
  response.headers.emplace_back("Location", "/builds/" + NameOf(put->record));
  return response;
}

http::Response GetBuild(const TableServices& services, const http::Request& request,
                        std::string_view text) {
  if (const auto known = CheckParameters(request, {"format"}); !known.ok())
    return ProblemFor(known.error());
  const auto format = ChoiceParameter(request, "format", {"json", "csv"});
  if (!format.ok()) return ProblemFor(format.error());
  const auto name = ParseBuildName(text);
  if (!name.ok()) return ProblemFor(name.error());
  const auto record = services.tables.builds().Record(*name);
  if (!record.ok()) return ProblemFor(record.error());
  http::Response response;
  if (*format == "json") {
    response = http::JsonResponse(200, BuildJson(*record).dump());
  } else {
    const auto build = services.tables.builds().Find({record->name, record->sha256});
    if (!build.ok()) return ProblemFor(build.error());
    response = http::TextResponse(200, "text/csv; charset=utf-8", (*build)->manifest.Text());
  }
  response.headers.emplace_back("Cache-Control", name->pinned() ? kImmutable : kAskAgain);
  response.headers.emplace_back("Tunehub-Build", NameOf(*record));
  return response;
}

http::Response GetBuilds(const TableServices& services, const http::Request& request) {
  if (const auto known = CheckParameters(request, {"name", "before", "limit"}); !known.ok())
    return ProblemFor(known.error());
  const auto name = TextParameter(request, "name", kMaxBuildNameBytes);
  if (!name.ok()) return ProblemFor(name.error());
  const auto before = NumberParameter(request, "before", 1, kMaxPut);
  if (!before.ok()) return ProblemFor(before.error());
  const auto limit = NumberParameter(request, "limit", 1, kMaxBuilds);
  if (!limit.ok()) return ProblemFor(limit.error());
  const auto size = static_cast<std::size_t>(limit->value_or(kDefaultBuilds));
  const auto builds =
      services.tables.builds().List(before->value_or(kMaxPut), name->value_or(""), size);
  Json json = {{"builds", Json::array()}};
  for (const BuildRecord& build : builds) json["builds"].push_back(BuildJson(build));
  http::Response response = http::JsonResponse(200, json.dump());
  if (builds.size() == size) {
    response.headers.emplace_back(
        "Link", NextPage(request, {{"before", std::to_string(builds.back().put)}}));
  }
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
