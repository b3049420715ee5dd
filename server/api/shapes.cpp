// Every measurement of one key, and why the winner won.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/excerpt.h"
#include "core/base/read_json.h"
#include "core/row/cell.h"
#include "core/row/key.h"
#include "core/row/roofline.h"
#include "core/table/table_writer.h"
#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/route.h"

namespace tunehub::api {
namespace {

using Json = nlohmann::ordered_json;

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
core::Result<AskedKey> KeyOf(const core::Family& family, const http::Request& request) {
  for (const auto& [name, value] : request.query) {
    if (name == kAllowEmpty || name == kLimit) continue;
    const std::size_t column = family.Find(name);
    if (column == core::kNoColumn || !family.columns[column].is_key()) {
      return core::Error{"unknown_parameter", fmt::format("'{}' is no key column of {}",
                                                          core::Excerpt(name), family.name)};
    }
    if (auto single = CheckSingle(request, name); !single.ok()) return single.error();
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
    if (!cell.ok())
      return core::Error{"bad_parameter", fmt::format("{}: {}", column.name, cell.error().detail)};
    cells[i] = *cell;
  }
  if (!missing.empty()) {
    return core::Error{"bad_parameter", fmt::format("the key columns {} are missing", missing)};
  }
  std::string text;
  core::AppendKeyText(text, family, cells);
  return AskedKey{core::HashOf(text), {cells.begin(), cells.end()}};
}

// By each product that the target may be, of whose peaks all that bounds the shape are known.
Json RooflinesJson(const Services& services, const core::Family& family, const AskedKey& asked) {
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

Json MeasurementJson(Services& services, std::int16_t id,
                     const service::MeasurementRecord& measurement) {
  Json json = {{"id", measurement.id},
               {"run", measurement.run},
               {"provider", registry::Name(measurement.provider)},
               {"us", NumberOrNull(measurement.us)},
               {"error", NumberOrNull(measurement.error)},
               {"standing", core::Name(measurement.standing)},
               {"reason", measurement.reason.empty() ? Json() : Json(measurement.reason)},
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

http::Response GetShape(Services& services, const http::Request& request, std::string_view name) {
  const auto family = FindFamily(services, name);
  if (!family.ok()) return ProblemFor(family.error());
  const auto key = KeyOf(**family, request);
  if (!key.ok()) return ProblemFor(key.error());
  const auto allow_empty = FlagParameter(request, kAllowEmpty);
  if (!allow_empty.ok()) return ProblemFor(allow_empty.error());
  const auto limit = NumberParameter(request, kLimit, 1, kMostMeasurements);
  if (!limit.ok()) return ProblemFor(limit.error());
  const auto most = static_cast<std::size_t>(limit->value_or(kDefaultMeasurements));
  const std::int16_t id = services.definitions.Id(**family);
  const auto history = services.analyses.histories.Read(id, key->key, most, *allow_empty);
  if (!history.ok()) return ProblemFor(history.error());
  const auto& measurements = history->measurements;
  Json json = {{"family", (*family)->name},         {"key", key->key.Uuid()},
               {"in_doubt", measurements.in_doubt}, {"total", measurements.total},
               {"measurements", Json::array()},     {"history", Json::array()}};
  json["rooflines"] = RooflinesJson(services, **family, *key);
  for (const auto& measurement : measurements.rows) {
    json["measurements"].push_back(MeasurementJson(services, id, measurement));
  }
  for (const auto& held : history->held) {
    json["history"].push_back(
        {{"provider", registry::Name(held.provider)},
         {"measurement", held.measurement},
         {"from_revision", held.from_revision},
         {"to_revision", held.to_revision == 0 ? Json() : Json(held.to_revision)}});
  }
  return http::JsonResponse(200, json.dump());
}

}  // namespace

std::vector<Endpoint> ShapeRoutes(Services& services) {
  return {Heavy({"GET", "/shapes/{family}", With(services, GetShape, "family")})};
}

}  // namespace tunehub::api
