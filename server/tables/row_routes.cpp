// Routes of rows, families, targets, models and heuristics.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "core/analysis/score.h"
#include "core/base/encoding.h"
#include "core/base/read_json.h"
#include "core/base/text.h"
#include "core/shapes/known_models.h"
#include "server/answers/answer.h"
#include "server/answers/issues.h"
#include "server/answers/parameters.h"
#include "server/answers/problems.h"
#include "server/answers/route.h"
#include "server/answers/target_parameters.h"
#include "server/tables/routes.h"
#include "server/tables/row_pages.h"

namespace tunehub::server {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kDefaultRows = 100, kMaxRows = 1000;
constexpr std::int64_t kMaxRowsBefore = 100'000'000;  // more rows than any table has
constexpr std::size_t kMaxContainsBytes = 256, kMaxPlaceBytes = 2048;
constexpr std::string_view kOwn[] = {"contains", "sort", "after", "limit"};
constexpr char kPlace = 'k';  // begins a place in the order of shape keys; a number skips rows
// Options of /tuned that filter rows. The other options change the form of an answer.
constexpr std::string_view kFilters[] = {"gfx",       "cu_num",   "target",
                                         "gpu_archs", "provider", "measured"};

bool IsKeyColumn(const core::Family& family, std::string_view name) {
  const std::size_t column = family.Find(name);
  return column != core::kNoColumn && family.columns[column].is_key();
}

core::Error UnknownRowParameter(const core::Family& family, std::string_view name) {
  return {"unknown_parameter",
          fmt::format(
              "unknown filter of rows '{}'; known filters: {}, {}, and the shape columns of {}",
              core::Excerpt(name), fmt::join(kOwn, ", "), fmt::join(kFilters, ", "), family.name)};
}

// "-us" sorts by the column us, in descending order.
void ReadSort(const core::Family& family, RequestQuery& query, RowPageQuery& page) {
  const auto text = query.Text("sort");
  if (!text) return;
  page.descending = text->starts_with('-');
  page.sort = family.Find(std::string_view(*text).substr(page.descending ? 1 : 0));
  if (page.sort == core::kNoColumn) {
    query.Fail(
        {"bad_parameter", fmt::format("sort: '{}': expected a column of {}, or '-' and a column",
                                      core::Excerpt(*text), family.name)});
  }
  if (!page.after.empty())
    query.Fail(BadParameter("after", "k...", "is a place of a list without sort"));
}

RowPageQuery ReadQuery(const TableServices& services, const core::Family& family,
                       const http::Request& request, RequestQuery& query) {
  RowPageQuery page;
  Parameters filters;
  for (const auto& parameter : request.query) {
    if (core::Contains(kOwn, parameter.first)) continue;
    if (!core::Contains(kFilters, parameter.first) && !IsKeyColumn(family, parameter.first))
      query.Fail(UnknownRowParameter(family, parameter.first));
    filters.push_back(parameter);
  }
  page.rows = query.Take(ParseTunedQuery(family, services.definitions.targets, filters));
  page.contains = query.Text("contains", kMaxContainsBytes).value_or("");
  const std::string after = query.Text("after", kMaxPlaceBytes).value_or("0");
  if (after.starts_with(kPlace)) {
    auto place = core::FromHex(std::string_view(after).substr(1));
    if (!place || place->empty())
      query.Fail(BadParameter("after", after, "is wrong; expected a value from a page's Link"));
    page.after = std::move(place).value_or("");
  } else {
    page.offset = query.Size("after", 0, kMaxRowsBefore, 0);
  }
  page.limit = query.Size("limit", 1, kMaxRows, kDefaultRows);
  ReadSort(family, query, page);
  return page;
}

http::Response GetRows(const TableServices& services, const http::Request& request,
                       const core::Family& family) {
  RequestQuery query(request);
  const RowPageQuery asked = ReadQuery(services, family, request, query);
  if (!query.ok()) return ProblemFor(query.error());
  services.snapshots.WaitUpToDate();
  const auto snapshot = services.snapshots.Current(family);
  const RowPage page = PageOf(*snapshot, asked);
  Json json = {{"family", family.name}};
  AddRevision(json, snapshot->revision);
  json["total"] = page.total;
  json["rows"] = Json::array();
  for (const TunedRow* row : page.rows) json["rows"].push_back(RowJson(family, *row));
  http::Response response = http::JsonResponse(200, json.dump());
  if (!page.next.empty() && asked.offset == 0)
    AddNextPage(response, request, {{"after", kPlace + page.next}});
  else if (!page.rows.empty())
    AddNextPlace(response, request, page.end, page.total);
  return WarnedIfStale(services, std::move(response));
}

// A family file is the full description of its family.
http::Response GetFamilies(const TableServices& services, const http::Request&) {
  Json json = {{"families", Json::array()}};
  for (const auto& family : services.definitions.families.all()) {
    Json item = core::SureJsonAs<Json>(family->source);
    item["header"] = family->Header(false);
    json["families"].push_back(std::move(item));
  }
  return http::JsonResponse(200, json.dump());
}

// Adds the GPU's data of targets.json and devices.json.
void Describe(const core::Targets& targets, const core::GpuArch& arch, const std::string& gfx,
              int cu_num, Json& item) {
  Json peaks = Json::object();
  for (const auto& [precision, rate] : arch.flops_per_cu_clock) {
    const auto peak = targets.PeakTflops(gfx, cu_num, precision);
    if (peak && cu_num > 0) peaks[precision] = *peak;
  }
  item["peak_tflops"] = std::move(peaks);
  item["source"] = arch.source;
}

http::Response GetTargets(const TableServices& services, const http::Request&) {
  std::map<std::pair<std::string, int>, std::map<std::string, std::size_t>> counts;
  const auto set = services.snapshots.Current();
  for (const auto& [id, snapshot] : set->families) {
    for (const auto& row : snapshot->rows)
      ++counts[{row->gfx, row->cu_num}][snapshot->family->name];
  }
  Json json = RevisionJson(set->revision);
  json["targets"] = Json::array();
  for (const auto& [target, families] : counts) {
    Json item = {{"gfx", target.first}, {"cu_num", target.second}, {"rows", families}};
    const auto devices = services.definitions.targets.devices().Of(target.first, target.second);
    item["products"] = core::Mapped(devices, &core::Device::product);
    if (const core::GpuArch* arch = services.definitions.targets.Find(target.first)) {
      Describe(services.definitions.targets, *arch, target.first, target.second, item);
    }
    json["targets"].push_back(std::move(item));
  }
  return WarnedIfStale(services, http::JsonResponse(200, json.dump()));
}

// The models that /coverage and /jobs/plan know.
http::Response GetModels(const TableServices& services, const http::Request&) {
  const Json models =
      core::Mapped(core::KnownModels(services.definitions.models), [](const core::Model& model) {
        Json json = {{"model", model.name}, {"title", model.title}};
        const std::string name = core::HuggingFaceName(model);
        if (!name.empty()) json["hugging_face"] = name;
        return json;
      });
  return http::JsonResponse(200, Json::object({{"models", models}}).dump());
}

constexpr std::size_t kListedConfusions = 20;
constexpr std::size_t kListedSizes = 1'000;

Json ScoresJson(const Rated& rated) {
  Json json = {{"left_out", analysis::ToJson(rated.left_out)},
               {"seen", analysis::ToJson(rated.seen)}};
  if (rated.written) json["written_down"] = analysis::ToJson(*rated.written);
  if (rated.fallback) json["default"] = analysis::ToJson(*rated.fallback);
  return json;
}

std::string ReportText(const core::Family& family, const core::Target& target,
                       const analysis::Heuristic* written, const HeuristicReport& report) {
  const analysis::Samples& samples = report.samples;
  const Learned& learned = report.learned;
  Json json = {
      {"family", family.name},           {"gfx", target.gfx},
      {"cu_num", target.cu_num},         {"revision", learned.revision.number},
      {"pin", learned.revision.Text()},  {"rows", samples.rows.size()},
      {"sizes", samples.groups.size()},  {"without_time", samples.without_time},
      {"leaves", learned.tree.Leaves()}, {"learned", analysis::ToJson(learned.tree, family)}};
  json["written_down"] = written == nullptr ? Json() : analysis::ToJson(*written, family);
  json["scores"] = ScoresJson(report.rated);
  json["shapes"] = analysis::GroupsJson(samples, report.rated.left_out, kListedSizes);
  json["confusions"] = analysis::ConfusionsJson(samples, report.rated.left_out, kListedConfusions);
  return json.dump();
}

http::Response GetHeuristic(const TableServices& services, const http::Request& request,
                            const core::Family& family) {
  RequestQuery query(request, {"gfx", "cu_num"});
  const core::Target target = OneTarget(services, query, &family);
  if (!query.ok()) return ProblemFor(query.error());
  services.snapshots.WaitUpToDate();
  Heuristics& heuristics = services.heuristics;
  const auto answer = heuristics.Answer(family, target, [&](const auto& report) {
    return ReportText(family, target, heuristics.Written(family, target.gfx, target.cu_num),
                      report);
  });
  if (!answer.ok()) return ProblemFor(answer.error());
  return OfRevision((*answer)->revision, http::JsonResponse(200, (*answer)->body));
}

http::Cost HeuristicCost(const TableServices& services) {
  return [services](const http::Request& request, const http::PathParameters& path) -> std::size_t {
    const auto family = FindFamily(services, path.Get("family"));
    RequestQuery query(request, {"gfx", "cu_num"});
    if (!family.ok()) return 0;
    const core::Target target = OneTarget(services, query, *family);
    return query.ok() ? services.heuristics.Cost(**family, target) : 0;
  };
}

}  // namespace

std::vector<Endpoint> RowRoutes(const TableServices& services) {
  return {
      Heavy({"GET", "/rows/{family}", WithFamily(services, GetRows)}),
      NoQuery({"GET", "/families", With(services, GetFamilies)}),
      Heavy(NoQuery({"GET", "/targets", With(services, GetTargets)})),
      NoQuery({"GET", "/models", With(services, GetModels)}),
      Heavy({"GET", "/heuristics/{family}", WithFamily(services, GetHeuristic)},
            HeuristicCost(services)),
  };
}

}  // namespace tunehub::server
