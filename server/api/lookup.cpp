// What AITER would run for a raw shape, and why.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "core/analysis/lookup_json.h"
#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/revision.h"
#include "server/api/route.h"
#include "server/api/target_parameters.h"
#include "server/api/tuned.h"

namespace tunehub::api {
namespace {

// Every parameter beside the target's and the build is a shape column.
core::Result<core::FamilyShape> ShapeInQuery(const core::Family& family, std::string_view gfx,
                                             const http::Request& request) {
  std::vector<core::NamedCell> cells;
  for (const auto& [name, value] : request.query) {
    if (name != "gfx" && name != "cu_num" && name != "build") cells.push_back({name, value});
  }
  core::FamilyShape shape;
  const auto issue = core::MakeShape(family, gfx, cells, 0, shape);
  if (!issue) return shape;
  if (issue->code == "unknown_column") {
    return core::Error{"unknown_parameter", issue->detail + "; beside them gfx, cu_num and build"};
  }
  return core::Error{"bad_parameter", fmt::format("{}: {}", issue->column, issue->detail)};
}

constexpr std::size_t kMaxBuildText = service::kMaxBuildNameBytes + 1 + 64;  // NAME@SHA256

// Null where none is asked for.
core::Result<std::shared_ptr<const service::Build>> BuildInQuery(Services& services,
                                                                 const http::Request& request) {
  const auto text = TextParameter(request, "build", kMaxBuildText);
  if (!text.ok()) return text.error();
  if (!*text) return std::shared_ptr<const service::Build>();
  const auto name = service::ParseBuildName(**text);
  if (!name.ok()) return name.error();
  return services.tables.builds().Find(*name);
}

http::Response GetLookup(Services& services, const http::Request& request, std::string_view name) {
  const auto family = FindFamily(services, name);
  if (!family.ok()) return ProblemFor(family.error());
  const auto target = OneTarget(services, **family, request);
  if (!target.ok()) return ProblemFor(target.error());
  const auto shape = ShapeInQuery(**family, target->gfx, request);
  if (!shape.ok()) return ProblemFor(shape.error());
  const auto build = BuildInQuery(services, request);
  if (!build.ok()) return ProblemFor(build.error());
  services.snapshots.WaitUpToDate();
  const auto table = services.dispatch_tables.Current(**family);
  const core::Manifest* const manifest = *build == nullptr ? nullptr : &(*build)->manifest;
  auto json = analysis::LookupJson(table->table, {*shape, target->gfx, target->cu_num, manifest},
                                   services.dispatch_tables.RuleOf(**family));
  if (*build != nullptr && json["build"].is_object()) json["build"]["name"] = (*build)->name.Text();
  AddRevision(json, table->snapshot->revision);
  http::Response response = http::JsonResponse(200, json.dump());
  WarnIfStale(services, response);
  return response;
}

}  // namespace

std::vector<Endpoint> LookupRoutes(Services& services) {
  return {{"GET", "/lookup/{family}", With(services, GetLookup, "family")}};
}

}  // namespace tunehub::api
