// Routes of search, and of all measurements of one key.
#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/read_json.h"
#include "core/base/text.h"
#include "core/row/cell.h"
#include "core/row/roofline.h"
#include "core/row/row.h"
#include "core/shapes/known_models.h"
#include "core/table/table_writer.h"
#include "server/answers/answer.h"
#include "server/answers/parameters.h"
#include "server/answers/problems.h"
#include "server/answers/route.h"
#include "server/db/failures.h"
#include "server/ingest/routes.h"
#include "server/insight/routes.h"
#include "server/insight/search.h"
#include "server/tables/measurement_store.h"

namespace tunehub::server {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxSearchBytes = 256;  // a kernel's name has up to 159 bytes
constexpr std::int64_t kDefaultHits = 10, kMaxHits = 50;

Json HitsJson(const SearchHits& hits) {
  Json json = {
      {"families", Json::array()},  {"models", hits.named.models}, {"products", Json::array()},
      {"kernels", Json::array()},   {"shapes", Json::array()},     {"runs", Json::array()},
      {"revisions", Json::array()}, {"layers", Json::array()},     {"places", Json::array()}};
  for (const core::Device* device : hits.products) {
    json["products"].push_back(
        {{"product", device->product}, {"gfx", device->gfx}, {"cu_num", device->cu_num}});
  }
  for (const SearchLayer& layer : hits.named.layers)
    json["layers"].push_back({{"layer", layer.layer}, {"models", layer.models}});
  for (const SearchPlace& place : hits.named.places) {
    json["places"].push_back(
        {{"title", place.title}, {"view", place.view}, {"query", place.query}});
  }
  if (hits.revision) json["revisions"].push_back(*hits.revision);
  for (const core::Family* family : hits.families) {
    json["families"].push_back({{"family", family->name}, {"title", family->title}});
  }
  for (const auto& kernel : hits.kernels) {
    json["kernels"].push_back({{"family", kernel.family->name},
                               {"kernel", kernel.name},
                               {"rows", kernel.rows.all},
                               {"baselines", kernel.rows.baselines}});
  }
  for (const auto& shape : hits.shapes) {
    Json cells = Json::object();
    for (const auto& [column, value] : shape.cells)
      cells[shape.family->columns[column].name] = value;
    json["shapes"].push_back({{"family", shape.family->name},
                              {"shape", std::move(cells)},
                              {"rows", shape.rows.all},
                              {"baselines", shape.rows.baselines}});
  }
  return json;
}

// Only runs need the database. Without the database, the search still finds names.
Json RunsJson(const InsightServices& services, const SearchHits& hits, const std::string& text,
              std::size_t limit) {
  Json runs = Json::array();
  try {
    for (const auto& run : services.runs.store.Select({.text = text, .also = hits.run}, limit))
      runs.push_back(RunJson(run));
  } catch (const Unavailable&) {  // NOLINT(bugprone-empty-catch)
    // The answer is marked as stale.
  }
  return runs;
}

http::Response GetSearch(const InsightServices& services, const http::Request& request) {
  RequestQuery query(request, {"q", "limit"});
  const auto text = query.Text("q", kMaxSearchBytes);
  if (!text) query.Fail({"bad_parameter", "q: is missing; pass the text to search"});
  const std::size_t limit = query.Size("limit", 1, kMaxHits, kDefaultHits);
  if (!query.ok()) return ProblemFor(query.error());
  services.snapshots.WaitUpToDate();
  const auto set = services.snapshots.Current();
  const auto hits = Search(services.definitions, *set, *text, limit);
  Json json = HitsJson(hits);
  json["runs"] = RunsJson(services, hits, *text, limit);
  return WarnedIfStale(services, http::JsonResponse(200, json.dump()));
}

// With allow_empty=1, a shape key without measurements is not an error.
constexpr std::string_view kAllowEmpty = "allow_empty", kLimit = "limit";
// A measurement takes a few hundred bytes, plus its samples.
constexpr std::int64_t kDefaultMeasurements = 1'000, kMostMeasurements = 10'000;

struct AskedKey {
  core::Hash128 key;
  std::vector<std::string> cells;  // by column; empty outside the key
};

// Reads the shape key in the query. All its columns without a default are required.
AskedKey KeyOf(const core::Family& family, const http::Request& request, RequestQuery& query) {
  for (const auto& [name, value] : request.query) {
    if (name == kAllowEmpty || name == kLimit) continue;
    const std::size_t column = family.Find(name);
    if (column == core::kNoColumn || !family.columns[column].is_key()) {
      query.Fail({"unknown_parameter", fmt::format("'{}': expected a shape column of {}",
                                                   core::Excerpt(name), family.name)});
    }
    query.Raw(name);  // stores an error if the parameter occurs twice
  }
  core::Cells cells(family.columns.size());
  core::Scratch scratch;
  std::string missing;
  for (std::size_t i : family.key_columns) {
    const core::Column& column = family.columns[i];
    const auto given = request.Query(column.name);
    if (!given && column.missing.empty() && column.role != core::Role::kTag) {
      missing += (missing.empty() ? "" : ", ") + column.name;
      continue;
    }
    const auto cell = core::CanonicalCell(column, given.value_or(column.DefaultCell()), scratch);
    if (cell.ok())
      cells[i] = *cell;
    else
      query.Fail({"bad_parameter", fmt::format("{}: {}", column.name, cell.error().detail)});
  }
  if (!missing.empty())
    query.Fail({"bad_parameter", fmt::format("the shape columns {} are missing", missing)});
  std::string text;
  core::AppendKeyText(text, family, cells);
  return {core::HashOf(text), {cells.begin(), cells.end()}};
}

// Returns the rooflines on those possible products of the target whose relevant peaks are known.
Json RooflinesJson(const InsightServices& services, const core::Family& family,
                   const AskedKey& asked) {
  Json json = Json::array();
  if (family.gfx == core::kNoColumn || family.cu_num == core::kNoColumn) return json;
  const core::Cells cells(asked.cells.begin(), asked.cells.end());
  const core::Devices& devices = services.definitions.targets.devices();
  const std::string& gfx = asked.cells[family.gfx];
  const int cu_num = core::ParseInt(asked.cells[family.cu_num]).value_or(0);
  for (const core::Device* device : devices.Of(gfx, cu_num)) {
    const auto roofline = core::RooflineOf(family, cells, devices, gfx, cu_num, device);
    if (!roofline) continue;
    json.push_back({{"product", device->product},
                    {"us", roofline->us},
                    {"bound", roofline->by_memory ? "memory" : "compute"}});
  }
  return json;
}

Json ComparedByJson(const MeasurementRecord& measurement) {
  if (!std::isfinite(measurement.compared_us)) return {};
  const core::TimeBounds& bounds = measurement.compared_bounds;
  return {{"us", measurement.compared_us},
          {"low", NumberOrNull(bounds.low)},
          {"high", NumberOrNull(bounds.high)},
          {"steady", !std::isinf(bounds.low)}};
}

Json MeasurementJson(const InsightServices& services, std::int16_t id,
                     const MeasurementRecord& measurement) {
  Json json = {{"id", measurement.id},
               {"run", measurement.run},
               {"provider", Name(measurement.provider)},
               {"us", NumberOrNull(measurement.us)},
               {"low", NumberOrNull(measurement.bounds.low)},
               {"high", NumberOrNull(measurement.bounds.high)},
               {"error", NumberOrNull(measurement.error)},
               {"standing", core::Name(measurement.standing)},
               {"reason", TextOrNull(measurement.reason)},
               {"is_default", measurement.is_default},
               {"searched", measurement.searched},
               {"reverted", measurement.reverted},
               {"competes", measurement.competes},
               {"withdraws", measurement.withdraws},
               {"doubts", measurement.doubts},
               {"won", measurement.won ? Json(core::Name(*measurement.won)) : Json()},
               {"baseline", measurement.baseline}};
  json["compared_by"] = ComparedByJson(measurement);
  std::string scratch;
  const auto version = services.versions.Get(id, measurement.family_version);
  const core::Cells cells = core::SplitLine(measurement.line, scratch);
  Json candidate = Json::object();
  for (std::size_t i : version->config_columns) {
    if (i < cells.size()) candidate[version->columns[i].name] = std::string(cells[i]);
  }
  json["candidate"] = std::move(candidate);
  if (!measurement.evidence.empty())
    json["evidence"] = core::SureJsonAs<Json>(measurement.evidence);
  json["line"] = measurement.line;
  return json;
}

http::Response GetShape(const InsightServices& services, const http::Request& request,
                        const core::Family& family) {
  RequestQuery query(request);
  const AskedKey asked = KeyOf(family, request, query);
  const bool allow_empty = query.Flag(kAllowEmpty);
  const std::size_t limit = query.Size(kLimit, 1, kMostMeasurements, kDefaultMeasurements);
  if (!query.ok()) return ProblemFor(query.error());
  const std::int16_t id = services.definitions.Id(family);
  MeasurementStore store(services.pool);
  const KeyMeasurements measurements = store.OfKey(id, asked.key, limit);
  if (measurements.rows.empty() && !allow_empty)
    return ProblemFor({"unknown_key", "nobody has measured this shape key"});
  Json json = {{"family", family.name},
               {"key", asked.key.Uuid()},
               {"in_doubt", measurements.in_doubt},
               {"total", measurements.total},
               {"measurements", Json::array()},
               {"history", Json::array()},
               {"rooflines", RooflinesJson(services, family, asked)}};
  for (const auto& measurement : measurements.rows) {
    json["measurements"].push_back(MeasurementJson(services, id, measurement));
  }
  for (const auto& held : store.ReadTunedHistory(asked.key, limit)) {
    json["history"].push_back(
        {{"provider", Name(held.provider)},
         {"measurement", held.measurement},
         {"from_revision", held.from_revision},
         {"to_revision", held.to_revision == 0 ? Json() : Json(held.to_revision)}});
  }
  return http::JsonResponse(200, json.dump());
}

}  // namespace

std::vector<Endpoint> SearchRoutes(const InsightServices& services) {
  return {
      Heavy({"GET", "/search", With(services, GetSearch)}),
      Heavy({"GET", "/shapes/{family}", WithFamily(services, GetShape)}),
  };
}

}  // namespace tunehub::server
