// Routes of bundles, of readers' files and trees, and of lookups.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "core/analysis/lookup_json.h"
#include "core/base/encoding.h"
#include "core/base/hash.h"
#include "server/answers/answer.h"
#include "server/answers/parameters.h"
#include "server/answers/problems.h"
#include "server/answers/route.h"
#include "server/answers/target_parameters.h"
#include "server/tables/bundle.h"
#include "server/tables/routes.h"

namespace tunehub::server {
namespace {

// A bundle of one revision: the requested one or the newest.
http::Response GetBundle(const TableServices& services, const http::Request& request) {
  RequestQuery query(request, {"gfx", "cu_num", "target", "gpu_archs", "provider", "measured",
                               "revision", "build"});
  const auto asked = query.Pin("revision");
  if (!query.ok()) return ProblemFor(query.error());
  http::Fields rest = request.query;
  std::erase_if(rest, [](const auto& parameter) { return parameter.first == "revision"; });
  const auto revision = services.revisions.Find(asked);
  if (!revision.ok()) return ProblemFor(revision.error());
  auto bundle = MakeBundle(services.definitions, services.tables, {*revision, asked.has_value()},
                           std::move(rest));
  if (!bundle.ok()) return ProblemFor(bundle.error());
  const auto digest = core::Sha256(bundle->archive);
  const std::string_view bytes{reinterpret_cast<const char*>(digest.data()), digest.size()};
  const std::string etag = fmt::format(R"("{}")", core::Hex(bytes).substr(0, kEtagHex));
  http::Response response;
  if (request.Header("if-none-match").value_or("") == etag) {
    response.status = 304;
  } else {
    response = http::TextResponse(200, "application/gzip", std::move(bundle->archive));
    response.headers.emplace_back(
        "Content-Disposition",
        fmt::format(R"(attachment; filename="tunehub-r{}.tar.gz")", revision->number));
  }
  response.headers.emplace_back("ETag", etag);
  response.headers.emplace_back("Repr-Digest", fmt::format("sha-256=:{}:", core::Base64(bytes)));
  const bool pinned = asked && asked->has_token();
  response.headers.emplace_back("Cache-Control", pinned ? kImmutable : kAskAgain);
  AddRevision(response, *revision);
  for (const auto& [name, value] : bundle->headers) response.headers.emplace_back(name, value);
  return response;
}

// Reads a shape: all parameters but those of the target and the build are shape columns.
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
    return core::Error{"unknown_parameter",
                       issue->detail + "; other parameters are gfx, cu_num and build"};
  }
  return core::Error{"bad_parameter", fmt::format("{}: {}", issue->column, issue->detail)};
}

constexpr std::size_t kMaxBuildText = kMaxBuildNameBytes + 1 + 64;  // NAME@SHA256

// The requested build; null: none.
std::shared_ptr<const Build> BuildInQuery(const TableServices& services, RequestQuery& query) {
  const auto text = query.Text("build", kMaxBuildText);
  if (!text) return nullptr;
  const BuildName name = query.Take(ParseBuildName(*text));
  return query.ok() ? query.Take(services.tables.builds().Find(name)) : nullptr;
}

http::Response GetLookup(const TableServices& services, const http::Request& request,
                         const core::Family& family) {
  RequestQuery query(request);
  const core::Target target = OneTarget(services, query, &family);
  const auto shape = query.Take(ShapeInQuery(family, target.gfx, request));
  const auto build = BuildInQuery(services, query);
  if (!query.ok()) return ProblemFor(query.error());
  services.snapshots.WaitUpToDate();
  const auto table = services.dispatch_tables.Current(family);
  const core::Manifest* const manifest = build == nullptr ? nullptr : &build->manifest;
  auto json = analysis::LookupJson(table->table, {shape, target.gfx, target.cu_num, manifest});
  if (build != nullptr && json["build"].is_object()) json["build"]["name"] = build->name.Text();
  AddRevision(json, table->snapshot->revision);
  return WarnedIfStale(services, http::JsonResponse(200, json.dump()));
}

}  // namespace

std::vector<Endpoint> FileRoutes(const TableServices& services) {
  return {
      Heavy({"GET", "/files/{reader}/{path...}",
             [services](const auto& request, const auto& path, const auto&) {
               const auto ask = [&](const auto& query) {
                 return services.tables.queries().File(path.Get("reader"), path.Get("path"), query);
               };
               return ServeTable(services, request, ask(request.query), [&](const auto& before) {
                 auto query = request.query;
                 query.emplace_back("family", before.other);
                 return ask(query);
               });
             }},
            TableCost(services)),
      Heavy({"GET", "/tree/{reader}",
             [services](const auto& request, const auto& path, const auto&) {
               return ServeTable(services, request,
                                 services.tables.queries().Tree(path.Get("reader"), request.query));
             }},
            TableCost(services)),
      Heavy({"GET", "/bundle", With(services, GetBundle)}),
      {"GET", "/lookup/{family}", WithFamily(services, GetLookup)},
  };
}

}  // namespace tunehub::server
