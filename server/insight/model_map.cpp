#include "server/insight/model_map.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_set>
#include <utility>

#include "core/base/text.h"
#include "core/row/cell.h"
#include "core/row/roofline.h"
#include "core/table/table_writer.h"
#include "server/answers/answer.h"
#include "server/answers/shapes.h"
#include "server/tables/choice.h"

namespace tunehub::server {
namespace {

using Json = nlohmann::ordered_json;
using KeySet = std::unordered_set<core::Hash128, core::Hash128Hasher>;

constexpr std::size_t kMapBytes = 32 * 1024 * 1024;  // room for some 300 maps

// Four significant digits are finer than the noise of a time. Null: not above zero.
Json Short(double value) {
  if (!(value > 0)) return nullptr;
  return std::strtod(fmt::format("{:.4g}", value).c_str(), nullptr);
}

struct MapCell {
  std::int64_t m = 0;
  Json state, row_m, us, roofline_us, default_us, slower, demand;
};

// Makes the cells of one table.
class MapCells {
 public:
  MapCells(const FamilyCoverage& table, const MapQuestion& question, const core::Devices& devices,
           DefaultTimes defaults, KeySet slower)
      : table_(table),
        family_(table.family()),
        question_(question),
        devices_(devices),
        rows_(table.table->snapshot->rows),
        defaults_(std::move(defaults)),
        slower_(std::move(slower)) {}

  MapCell Of(const analysis::AnsweredShape& it) {
    const core::ShapeDemand& shape = table_.shapes[it.index];
    const core::Cells cells(shape.shape.cells.begin(), shape.shape.cells.end());
    MapCell cell;
    cell.m = shape.m;
    cell.state = static_cast<int>(it.state);
    cell.slower = 0;
    cell.demand = it.demand;
    // A padded lookup has the time of the row's M, so it also has the roofline of the row's M.
    cell.roofline_us = Roofline(it.answer.found() ? AddRow(it, cell) : cells);
    return cell;
  }

  const core::Device* product() const { return product_; }  // null: no roofline is known

 private:
  Json Roofline(const core::Cells& cells) {
    const auto roofline = core::RooflineOf(family_, cells, devices_, question_.target.gfx,
                                           question_.target.cu_num, question_.product);
    if (roofline) product_ = roofline->product;
    return Short(roofline ? roofline->us : 0);
  }

  // Returns the row's cells, which the next call changes.
  core::Cells AddRow(const analysis::AnsweredShape& it, MapCell& cell) {
    const TunedRow& row = rows_.Of(table_.table->table.rows()[it.answer.row]);
    const std::size_t column = analysis::BucketColumn(family_);
    const core::Cells cells = core::SplitLine(row.line, scratch_);
    const std::int64_t row_m = core::ParseInt64(cells[column]).value_or(cell.m);
    cell.row_m = row_m;
    if (slower_.contains(row.key)) cell.slower = 1;
    if (it.state == analysis::State::kUnmeasured) return cells;
    cell.us = Short(row.us);
    const auto measured = defaults_.find(row.key);
    if (measured != defaults_.end()) cell.default_us = Short(measured->second);
    if (it.state == analysis::State::kBaseline) cell.default_us = cell.us;
    return cells;
  }

  const FamilyCoverage& table_;
  const core::Family& family_;
  const MapQuestion& question_;
  const core::Devices& devices_;
  const RowsByLine rows_;
  const DefaultTimes defaults_;
  const KeySet slower_;
  const core::Device* product_ = nullptr;
  std::string scratch_;
};

Json LayerJson(const FamilyCoverage& table, const MapLayer& layer,
               const std::vector<MapCell>& cells, const std::vector<std::int64_t>& all_m) {
  const core::Family& family = table.family();
  const std::string& m_column = family.columns[analysis::BucketColumn(family)].name;
  Json columns = ShapeJson(family, table.shapes[layer.shape].shape);
  columns.erase(m_column);
  Json json = {{"layer", layer.name},  {"family", family.name}, {"columns", std::move(columns)},
               {"m_column", m_column}, {"count", layer.count},  {"flops", layer.flops}};
  const auto add = [&](const char* name, const auto& value_of) {
    Json& values = json[name] = Json::array();
    for (const std::size_t place : layer.cells) values.push_back(value_of(cells[place]));
  };
  add("at",
      [&](const MapCell& it) { return std::ranges::lower_bound(all_m, it.m) - all_m.begin(); });
  add("state", std::mem_fn(&MapCell::state));
  add("row_m", std::mem_fn(&MapCell::row_m));
  add("us", std::mem_fn(&MapCell::us));
  add("roofline_us", std::mem_fn(&MapCell::roofline_us));
  add("default_us", std::mem_fn(&MapCell::default_us));
  add("slower", std::mem_fn(&MapCell::slower));
  add("demand", std::mem_fn(&MapCell::demand));
  return json;
}

KeySet SlowerOf(const SlowedRows& slower, const core::Family& family) {
  KeySet keys;
  if (const auto rows = slower.find(&family); rows != slower.end()) {
    for (const auto& row : rows->second) keys.insert(row->key);
  }
  return keys;
}

std::vector<std::int64_t> AllM(const ModelAnswer& answer) {
  std::set<std::int64_t> all;
  for (const FamilyCoverage& table : answer.families) {
    for (const core::ShapeDemand& it : table.shapes) all.insert(it.m);
  }
  return {all.begin(), all.end()};
}

}  // namespace

DefaultTimes DefaultTimesOf(Speedups& speedups, const core::Family& family,
                            const core::Target& target) {
  DefaultTimes times;
  if (family.objective == core::kNoColumn) return times;
  const auto answer = speedups.Get({.families = {&family}, .target = {target.gfx, 0}});
  for (const analysis::SpeedupKey* key : answer.keys) {
    if (key->has_default() && !key->is_operator) times.emplace(key->key, key->default_us);
  }
  return times;
}

std::vector<MapLayer> MapLayersOf(const FamilyCoverage& table, const core::ProductPlan& plan) {
  const std::size_t m = analysis::BucketColumn(table.family());
  std::map<std::pair<std::string, std::vector<std::string>>, std::size_t> places;
  std::vector<MapLayer> layers;
  for (std::size_t i = 0; i < table.coverage.shapes.size(); ++i) {
    const std::size_t index = table.coverage.shapes[i].index;
    std::vector<std::string> shape = table.shapes[index].shape.cells;
    shape[m].clear();
    for (const std::size_t place : table.shapes[index].products) {
      const core::ModelProduct& product = plan.products[place];
      const auto [known, added] = places.try_emplace({product.layer, shape}, layers.size());
      if (added) layers.push_back({product.layer, 0, 0, index, {}, {}});
      MapLayer& layer = layers[known->second];
      if (layer.cells.empty() || layer.cells.back() != i) layer.cells.push_back(i);
      if (core::Contains(layer.products, place)) continue;
      layer.products.push_back(place);
      layer.count += std::max<std::int64_t>(product.layers, 1);
      layer.flops += core::FlopsPerToken(product);
    }
  }
  return layers;
}

std::size_t SizeOf(const MapAnswer& answer) {
  return answer.json.size();
}

ModelMaps::ModelMaps(const Definitions& definitions, ConnectionPool& pool,
                     const Snapshots& snapshots, FamilyVersions& versions,
                     CoverageService& coverage, Speedups& speedups, Overview& overview)
    : definitions_(definitions),
      pool_(pool),
      snapshots_(snapshots),
      versions_(versions),
      coverage_(coverage),
      speedups_(speedups),
      overview_(overview),
      made_(kMapBytes) {}

std::shared_ptr<const DispatchTable> ModelMaps::OwnRows(const core::Family& family,
                                                        const core::Device& product) {
  auto own = std::make_shared<FamilySnapshot>(*snapshots_.Current(family));
  TunedQuery query;
  query.runs.devices = {product.product};
  query.allow_empty = true;
  // The query names no source and allows an empty table, so there is no error.
  auto chosen = Choose(query, *own, definitions_, pool_, versions_);
  own->rows = std::move(chosen->rows.rows);
  return MakeDispatchTable(std::move(own));
}

core::Result<MapAnswer> ModelMaps::Make(const MapQuestion& question) {
  const core::Pin revision = snapshots_.Current()->revision;
  TableOf rows;
  if (question.own != nullptr)
    rows = [&](const core::Family& family) { return OwnRows(family, *question.own); };
  const auto answer =
      coverage_.OfModel(question.model, analysis::kDefaultMaxM, nullptr, question.target, rows);
  if (!answer.ok()) return answer.error();
  const auto slower = overview_.Slower();
  const std::vector<std::int64_t> all_m = AllM(*answer);
  std::vector<std::pair<std::size_t, Json>> layers;  // by the first product
  const core::Device* product = question.product;
  for (const FamilyCoverage& table : answer->families) {
    MapCells maker(table, question, definitions_.targets.devices(),
                   DefaultTimesOf(speedups_, table.family(), question.target),
                   SlowerOf(*slower, table.family()));
    std::vector<MapCell> cells;
    for (const analysis::AnsweredShape& it : table.coverage.shapes) cells.push_back(maker.Of(it));
    if (product == nullptr) product = maker.product();
    for (const MapLayer& it : MapLayersOf(table, answer->plan))
      layers.emplace_back(it.products.front(), LayerJson(table, it, cells, all_m));
  }
  std::ranges::stable_sort(layers, {}, &std::pair<std::size_t, Json>::first);
  Json json = RevisionJson(revision);
  json["model"] = question.model.model;
  json["tp"] = question.model.tp;
  json["engine"] = question.model.engine == nullptr ? "any" : question.model.engine->name;
  json["gfx"] = question.target.gfx;
  json["cu_num"] = question.target.cu_num;
  json["product"] = product == nullptr ? Json() : Json(product->product);
  json["own"] = question.own == nullptr ? Json() : Json(question.own->product);
  json["m"] = all_m;
  for (std::size_t i = 0; i < analysis::kStates; ++i)
    json["states"].push_back(analysis::Name(static_cast<analysis::State>(i)));
  json["layers"] = Json::array();
  for (auto& [place, layer] : layers) json["layers"].push_back(std::move(layer));
  json["unread"] = analysis::UnreadJson(answer->unread);
  json["findings"] = analysis::FindingsJson(answer->findings);
  json["coverage"] = answer->share ? analysis::ShareJson(*answer->share) : Json();
  return MapAnswer{revision, json.dump()};
}

core::Result<std::shared_ptr<const MapAnswer>> ModelMaps::Get(const MapQuestion& question) {
  const ModelRequest& of = question.model;
  const auto name = [](const core::Device* it) { return it == nullptr ? "" : it->product.c_str(); };
  const auto minute = std::chrono::duration_cast<std::chrono::minutes>(
      std::chrono::steady_clock::now().time_since_epoch());
  const std::string key = fmt::format(
      "{}\n{}\n{} {} {} {} {}\n{}\n{}\n{} {}", of.model, of.options.dtype, of.tp, of.options.engine,
      of.rocm, question.target.gfx, question.target.cu_num, name(question.product),
      name(question.own), snapshots_.Current()->State(), minute.count());
  return made_.Get(key, [&] { return Make(question); });
}

}  // namespace tunehub::server
