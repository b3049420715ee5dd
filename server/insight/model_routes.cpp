// How much of what the known models ask for is tuned, table by table.
#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/analysis/model_question.h"
#include "core/analysis/speedups_report.h"
#include "core/base/excerpt.h"
#include "core/base/read_json.h"
#include "core/row/cell.h"
#include "core/row/key.h"
#include "core/row/roofline.h"
#include "core/shapes/known_models.h"
#include "core/table/table_writer.h"
#include "server/answers/answer.h"
#include "server/answers/parameters.h"
#include "server/answers/problems.h"
#include "server/answers/route.h"
#include "server/answers/target_parameters.h"
#include "server/insight/coverage.h"
#include "server/insight/routes.h"
#include "server/insight/speedups.h"
#include "server/tables/measurement_store.h"
#include "server/tables/model_shapes.h"

namespace tunehub::server {
namespace {

using Json = nlohmann::ordered_json;

Json ModelJson(const ModelPart& it) {
  const analysis::Counts& counts = it.share.totals();
  return {{"model", it.model},
          {"engine", it.engine},
          {"covered", it.share.covered()},
          {"exact", it.share.exact()},
          {"shapes", counts.shapes()},
          {"missing", counts.shapes() - counts.covered()}};
}

Json TableJson(const TableCoverage& it) {
  Json json = {{"family", it.family->name}, {"gfx", it.target.gfx}, {"cu_num", it.target.cu_num}};
  AddRevision(json, it.revision);
  json["covered"] = it.covered();
  json["models"] = Json::array();
  for (const ModelPart& model : *it.models) json["models"].push_back(ModelJson(model));
  return json;
}

http::Response GetModelCoverage(const InsightServices& services, const http::Request& request) {
  RequestQuery query(request, {"tp", "family", "gfx", "cu_num"});
  const core::Family* const family = query.Family(services);
  const core::Target target = DemandTargetOf(services, query);
  const std::int64_t tp = query.Number("tp", 1, kMaxTp, 1);
  if (!query.ok()) return ProblemFor(query.error());
  services.snapshots.WaitUpToDate();
  Json json = {
      {"tp", tp}, {"grid", "gl0"}, {"max_m", analysis::kDefaultMaxM}, {"tables", Json::array()}};
  for (const auto& it : services.coverage.OfKnown(tp, family, target))
    json["tables"].push_back(TableJson(it));
  return WarnedIfStale(services, http::JsonResponse(200, json.dump()));
}

// What tuning is worth.

// Lines of format=csv; 15 MB at most.
constexpr std::int64_t kDefaultLines = 10'000, kMostLines = 100'000;

SpeedupQuery QueryOf(const InsightServices& services, RequestQuery& query) {
  SpeedupQuery asked;
  asked.families = TimedFamilies(services, query);
  asked.target = DemandTargetOf(services, query);
  if (const auto model = query.Text("model"))
    asked.model = query.Take(core::FindModel(services.definitions.models, *model)).name;
  asked.tp = query.Number("tp", 1, kMaxTp, 0);
  if (asked.tp != 0 && asked.model.empty())
    query.Fail({"bad_parameter", "tp: means nothing without a model"});
  asked.campaign = query.Text("campaign").value_or("");
  return asked;
}

http::Response GetSpeedups(const InsightServices& services, const http::Request& request) {
  RequestQuery query(request,
                     {"family", "gfx", "cu_num", "model", "tp", "campaign", "format", "limit"});
  const SpeedupQuery asked = QueryOf(services, query);
  const bool csv = query.Choice("format", {"json", "csv"}) == "csv";
  const std::size_t limit = query.Size("limit", 1, kMostLines, kDefaultLines);
  if (!query.ok()) return ProblemFor(query.error());
  services.snapshots.WaitUpToDate();
  const core::Pin revision = services.snapshots.Current()->revision;
  const SpeedupAnswer answer = services.analyses.speedups.Get(asked);
  http::Response response;
  if (csv) {
    auto lines = analysis::ToCsv(answer.keys, limit);
    response = http::TextResponse(200, "text/csv; charset=utf-8", std::move(lines.csv));
    response.headers.emplace_back("Tunehub-Left-Out", std::to_string(lines.left_out));
  } else {
    Json json = RevisionJson(revision);
    json["tuned_alone"] = answer.tuned_alone;
    json.update(analysis::ToJson(answer.keys));
    response = http::JsonResponse(200, json.dump());
  }
  return OfRevision(revision, std::move(response));
}

// Every measurement of one key, and why the winner won.

// As of a table: somebody who looks around finds nothing without an error.
constexpr std::string_view kAllowEmpty = "allow_empty", kLimit = "limit";
// Measurements of a key; each is some hundred bytes, and as many samples as its agent has sent.
constexpr std::int64_t kDefaultMeasurements = 1'000, kMostMeasurements = 10'000;

Json NumberOrNull(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

std::string_view DefaultOf(const core::Column& column) {
  for (const core::MissingRule& rule : column.missing) {
    if (rule.gfx.empty() && rule.kernel_prefix.empty()) return rule.value;
  }
  return {};
}

struct AskedKey {
  core::Hash128 key;
  std::vector<std::string> cells;  // by column; empty outside the key
};

// The key that the query spells out: every key column without a default must be there.
AskedKey KeyOf(const core::Family& family, const http::Request& request, RequestQuery& query) {
  for (const auto& [name, value] : request.query) {
    if (name == kAllowEmpty || name == kLimit) continue;
    const std::size_t column = family.Find(name);
    if (column == core::kNoColumn || !family.columns[column].is_key()) {
      query.Fail({"unknown_parameter",
                  fmt::format("'{}' is no key column of {}", core::Excerpt(name), family.name)});
    }
    query.Raw(name);  // comes once
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
    const auto cell = core::CanonicalCell(column, given.value_or(DefaultOf(column)), scratch);
    if (cell.ok())
      cells[i] = *cell;
    else
      query.Fail({"bad_parameter", fmt::format("{}: {}", column.name, cell.error().detail)});
  }
  if (!missing.empty())
    query.Fail({"bad_parameter", fmt::format("the key columns {} are missing", missing)});
  std::string text;
  core::AppendKeyText(text, family, cells);
  return {core::HashOf(text), {cells.begin(), cells.end()}};
}

// By each product that the target may be, of whose peaks all that bounds the shape are known.
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

Json MeasurementJson(const InsightServices& services, std::int16_t id,
                     const MeasurementRecord& measurement) {
  Json json = {{"id", measurement.id},
               {"run", measurement.run},
               {"provider", Name(measurement.provider)},
               {"us", NumberOrNull(measurement.us)},
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
    return ProblemFor({"unknown_key", "nothing was ever measured for this key"});
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

std::vector<Endpoint> ModelRoutes(const InsightServices& services) {
  return {
      Heavy({"GET", "/coverage/models", With(services, GetModelCoverage)}),
      Heavy({"GET", "/speedups", With(services, GetSpeedups)}),
      Heavy({"GET", "/shapes/{family}", WithFamily(services, GetShape)}),
  };
}

}  // namespace tunehub::server
