// Tuned rows page by page.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/excerpt.h"
#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/route.h"
#include "server/api/tuned.h"
#include "server/service/tables/row_json.h"
#include "server/service/tables/row_pages.h"

namespace tunehub::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kDefaultRows = 100, kMaxRows = 1000;
constexpr std::int64_t kMaxRowsBefore = 100'000'000;  // more than any table has
constexpr std::size_t kMaxContainsBytes = 256, kMaxPlaceBytes = 2048;
constexpr std::string_view kOwn[] = {"contains", "sort", "after", "offset", "limit"};
// What leaves rows out of a table. The rest of what /tuned takes makes another table of it.
constexpr std::string_view kFilters[] = {"gfx",       "cu_num",   "target",
                                         "gpu_archs", "provider", "measured"};

template <typename Names>
bool Has(const Names& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool IsKeyColumn(const core::Family& family, std::string_view name) {
  const std::size_t column = family.Find(name);
  return column != core::kNoColumn && family.columns[column].is_key();
}

core::Error Unknown(const core::Family& family, std::string_view name) {
  return {"unknown_parameter",
          fmt::format("'{}' is no filter of rows; there are {}, {}, and the key columns of {}",
                      core::Excerpt(name), fmt::join(kOwn, ", "), fmt::join(kFilters, ", "),
                      family.name)};
}

// "-us": by this column, the greatest first.
core::Status ReadSort(const core::Family& family, const http::Request& request,
                      service::RowPageQuery& query) {
  const auto sort = TextParameter(request, "sort", kMaxNameBytes);
  if (!sort.ok()) return sort.error();
  if (!*sort) return core::Ok();
  const std::string_view text = **sort;
  query.descending = text.starts_with('-');
  query.sort = family.Find(text.substr(query.descending ? 1 : 0));
  if (query.sort == core::kNoColumn) {
    return core::Error{"bad_parameter",
                       fmt::format("sort: '{}' is no column of {}, nor one behind a '-'",
                                   core::Excerpt(text), family.name)};
  }
  if (query.after.empty()) return core::Ok();
  return core::Error{"bad_parameter", "after: goes without sort; sorted pages go by offset"};
}

core::Result<service::RowPageQuery> ReadQuery(const Services& services, const core::Family& family,
                                              const http::Request& request) {
  service::RowPageQuery query;
  service::Parameters filters;
  for (const auto& parameter : request.query) {
    if (Has(kOwn, parameter.first)) continue;
    if (!Has(kFilters, parameter.first) && !IsKeyColumn(family, parameter.first))
      return Unknown(family, parameter.first);
    filters.push_back(parameter);
  }
  auto rows = service::ParseTunedQuery(family, services.definitions.targets, filters);
  if (!rows.ok()) return rows.error();
  query.rows = *std::move(rows);
  const auto contains = TextParameter(request, "contains", kMaxContainsBytes);
  if (!contains.ok()) return contains.error();
  query.contains = contains->value_or("");
  const auto after = TextParameter(request, "after", kMaxPlaceBytes);
  if (!after.ok()) return after.error();
  const auto place = service::ParseRowPlace(after->value_or(""));
  if (!place.ok()) return place.error();
  query.after = *place;
  const auto limit = NumberParameter(request, "limit", 1, kMaxRows);
  if (!limit.ok()) return limit.error();
  query.limit = static_cast<std::size_t>(limit->value_or(kDefaultRows));
  const auto offset = NumberParameter(request, "offset", 0, kMaxRowsBefore);
  if (!offset.ok()) return offset.error();
  query.offset = static_cast<std::size_t>(offset->value_or(0));
  if (const auto sort = ReadSort(family, request, query); !sort.ok()) return sort.error();
  return query;
}

http::Response GetRows(const Services& services, const http::Request& request,
                       std::string_view name) {
  const auto family = FindFamily(services, name);
  if (!family.ok()) return ProblemFor(family.error());
  const auto query = ReadQuery(services, **family, request);
  if (!query.ok()) return ProblemFor(query.error());
  services.snapshots.WaitUpToDate();
  const auto snapshot = services.snapshots.Current(**family);
  const service::RowPage page = service::PageOf(*snapshot, *query);
  Json json = {{"family", (*family)->name},
               {"revision", snapshot->revision.number},
               {"pin", snapshot->revision.Text()},
               {"total", page.total},
               {"rows", Json::array()}};
  for (const service::TunedRow* row : page.rows)
    json["rows"].push_back(service::RowJson(**family, *row));
  http::Response response = http::JsonResponse(200, json.dump());
  const bool by_place = !page.next.empty() && query->offset == 0;
  if (by_place)
    response.headers.emplace_back("Link", NextPage(request, {{"after", page.next}}));
  else if (page.end < page.total && !page.rows.empty())
    response.headers.emplace_back("Link",
                                  NextPage(request, {{"offset", std::to_string(page.end)}}));
  WarnIfStale(services, response);
  return response;
}

}  // namespace

std::vector<Endpoint> RowRoutes(Services& services) {
  return {Heavy({"GET", "/rows/{family}", With(services, GetRows, "family")})};
}

}  // namespace tunehub::api
