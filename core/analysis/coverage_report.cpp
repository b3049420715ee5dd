#include "core/analysis/coverage_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/row/row.h"
#include "core/table/table_writer.h"

namespace tunehub::analysis {
namespace {

using Json = nlohmann::ordered_json;

// "padded": what any step behind the first found; the steps beside it.
void AddCounts(Json& json, const Counts& counts) {
  const auto of = [&](State state) { return counts.of.at(static_cast<std::size_t>(state)); };
  json["shapes"] = counts.shapes();
  json["exact"] = of(State::kExact);
  json["padded"] = of(State::kGl0) + of(State::kGl1) + of(State::kTier) + of(State::kNearest);
  for (const State state : {State::kGl0, State::kGl1, State::kTier, State::kNearest,
                            State::kBaseline, State::kUnmeasured, State::kMissing}) {
    json[std::string(Name(state))] = of(state);
  }
  json["demand"] = counts.demand;
}

Json PairsJson(const core::Family& family, const Coverage& coverage, const PairLayers& layers) {
  Json pairs = Json::array();
  for (const std::vector<std::string>& pair : coverage.pairs) {
    Json json = Json::object();
    for (std::size_t i = 0; i < pair.size(); ++i) {
      const core::Column& column = family.columns[coverage.columns[i]];
      json[column.name] = core::CellJson(column, pair[i]);
    }
    if (const auto layer = layers.find(pair); layer != layers.end()) {
      json["layer"] = layer->second.name;
      json["flops_per_token"] = layer->second.flops;
    }
    pairs.push_back(std::move(json));
  }
  return pairs;
}

std::string HeaderOf(const core::Family& family) {
  std::string header;
  for (const std::size_t column : core::ShapeColumns(family)) {
    header += family.columns[column].name + ",";
  }
  header += "state,demand,step";
  if (family.lookup.m != core::kNoColumn) header += ",row_" + family.columns[family.lookup.m].name;
  header += ",us";
  for (const std::size_t column : family.kernel_columns) {
    header += "," + family.columns[column].name;
  }
  return header + "\n";
}

// The cells behind "demand" of a shape that has a row, or as many empty ones.
void AddRow(const lookup::Table& table, const lookup::LookupAnswer& answer, std::string& scratch,
            core::Cells& out) {
  const core::Family& family = table.family();
  const bool padded = family.lookup.m != core::kNoColumn;
  out.push_back(lookup::Name(answer.step));
  if (!answer.found()) {
    out.resize(out.size() + (padded ? 1 : 0) + 1 + family.kernel_columns.size());
    return;
  }
  const core::Cells cells = core::SplitLine(table.rows()[answer.row].line, scratch);
  if (padded) out.push_back(cells[family.lookup.m]);
  out.push_back(family.objective == core::kNoColumn ? "" : cells[family.objective]);
  for (const std::size_t column : family.kernel_columns) out.push_back(cells[column]);
}

}  // namespace

Json CoverageJson(const core::Family& family, const Coverage& coverage, const PairLayers& layers) {
  Json json = {{"family", family.name},
               {"columns", Json::array()},
               {"m", family.lookup.m == core::kNoColumn ? family.heat_map.x
                                                        : family.columns[family.lookup.m].name},
               {"buckets", Json::array()},
               {"pairs", PairsJson(family, coverage, layers)},
               {"cells", Json::array()}};
  for (const std::size_t column : coverage.columns) {
    json["columns"].push_back(family.columns[column].name);
  }
  for (const MBucket& bucket : coverage.buckets) {
    json["buckets"].push_back({{"from", bucket.from}, {"to", bucket.to}});
  }
  for (const Cell& cell : coverage.cells) {
    Json it = {{"bucket", cell.bucket}, {"pair", cell.pair}};
    AddCounts(it, cell.counts);
    json["cells"].push_back(std::move(it));
  }
  const auto by_demand = coverage.share.covered_by_demand();
  json["headline"] = {{"covered", coverage.share.covered()},
                      {"exact", coverage.share.exact()},
                      {"covered_by_demand", by_demand ? Json(*by_demand) : Json()}};
  AddCounts(json["totals"], coverage.totals());
  return json;
}

std::string CoverageCsv(const lookup::Table& table, std::span<const core::ShapeDemand> shapes,
                        const Coverage& coverage, std::span<const State> states) {
  const core::Family& family = table.family();
  const auto columns = core::ShapeColumns(family);
  std::string csv = HeaderOf(family);
  std::string scratch;
  for (const AnsweredShape& it : coverage.shapes) {
    if (!states.empty() && std::ranges::find(states, it.state) == states.end()) continue;
    const core::FamilyShape& shape = shapes[it.index].shape;
    const std::string demand = std::to_string(it.demand);
    core::Cells cells;
    for (const std::size_t column : columns) cells.push_back(shape.cells[column]);
    cells.push_back(Name(it.state));
    cells.push_back(demand);
    AddRow(table, it.answer, scratch, cells);
    csv += core::JoinCells(cells) + "\n";
  }
  return csv;
}

core::Result<State> ParseState(std::string_view name) {
  std::string known;
  for (std::size_t i = 0; i < kStates; ++i) {
    const auto state = static_cast<State>(i);
    if (Name(state) == name) return state;
    known += (i == 0 ? "" : ", ") + std::string(Name(state));
  }
  return core::Error{"bad_state", fmt::format("'{}' is no state of a shape, which are {}",
                                              core::Excerpt(name), known)};
}

}  // namespace tunehub::analysis
