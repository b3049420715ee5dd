#include "core/analysis/model_coverage.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/text.h"
#include "core/row/row.h"
#include "core/table/table_writer.h"

namespace tunehub::analysis {
namespace {

bool IsSameButM(const core::Family& family, const core::Shape& a, const core::Shape& b) {
  if (family.lookup.m == core::kNoColumn || a.size() != b.size()) return false;
  const std::string& m = family.columns[family.lookup.m].name;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && family.untuned_columns[i] != m) return false;
  }
  return true;
}

}  // namespace

core::Result<std::vector<core::ShapeDemand>> ShapesOfModel(ModelQuestion question,
                                                           const core::Targets& targets,
                                                           const core::Family& family,
                                                           std::string_view gfx) {
  question.options.fnuz = targets.IsFnuz(gfx);
  question.options.gfx = gfx;
  auto grid = core::GridOf(family, question.grid);
  if (!grid.ok()) return grid.error();
  if (question.grid == "gl0" || question.grid == "pow2") {
    std::erase_if(*grid, [&](std::int64_t m) { return m > question.max_m; });
  }
  if (grid->empty()) {
    return core::Error{"bad_grid", fmt::format("the list of M '{}' has no value up to {}",
                                               question.grid, question.max_m)};
  }
  const auto rows =
      core::ShapesOfProducts(question.model, question.tp, family, *grid, question.options);
  if (!rows.ok()) return rows.error();
  std::vector<core::ShapeDemand> shapes;
  shapes.reserve(rows->shapes.size());
  const core::AskedShape* last = nullptr;  // the row of the last shape
  for (const core::AskedShape& it : rows->shapes) {
    // The rows of a layer differ only in M, so most shapes are copies with another M.
    if (last != nullptr && IsSameButM(family, last->row, it.row)) {
      shapes.push_back({shapes.back().shape, 0, it.m, it.products});
      shapes.back().shape.cells[family.lookup.m] = std::to_string(it.m);
    } else if (auto shape = core::ShapeOfUntuned(family, gfx, it.row)) {
      shapes.push_back({*std::move(shape), 0, it.m, it.products});
      last = &it;
    }
  }
  return shapes;
}

bool IsNoPart(const core::Error& error) {
  return error.code == "unsupported_family" || error.code == "no_experts" ||
         error.code == "no_products" || error.code == "no_device";
}

PairLayers LayersOf(const ModelQuestion& question, const core::Family& family) {
  constexpr std::int64_t kOneM[] = {1};
  PairLayers layers;
  const auto asked =
      core::ShapesOfProducts(question.model, question.tp, family, kOneM, question.options);
  if (!asked.ok()) return layers;
  for (const core::AskedShape& it : asked->shapes) {
    const auto shape = core::ShapeOfUntuned(family, question.options.gfx, it.row);
    if (!shape) continue;
    PairLayer& layer = layers[core::Mapped(
        PairColumns(family), [&](std::size_t column) { return shape->cells[column]; })];
    const auto& products = asked->plan.products;
    if (layer.name.empty()) layer.name = products[it.products.front()].layer;
    for (const std::size_t product : it.products) {
      layer.flops += core::FlopsPerToken(products[product]);
    }
  }
  return layers;
}

namespace {

// Returns the table that the engine reads for the product. Null: none; `why` then receives the
// reason.
const core::Family* TableOf(const core::ModelProduct& product, const core::ShapeOptions& options,
                            const core::Families& families,
                            const std::function<bool(const core::Family&)>& can_run,
                            std::string& why) {
  const core::EngineReads& engine = *options.reads;
  const core::ReadRule* const rule =
      engine.RuleFor(product.kind, product.scheme, options.gfx, options.rocm);
  if (rule == nullptr) {
    why = fmt::format("{} reads no tuned table of AITER for {} matrix products stored as {}",
                      engine.title, core::Name(product.kind), product.scheme);
    return nullptr;
  }
  const core::Family* const family = families.Find(rule->family);
  if (family == nullptr ||
      core::RulesOf(*family, product, true, core::SchemeChoice::kOwn).empty()) {
    why = fmt::format("the family {} has no rows for {} matrix products stored as {}", rule->family,
                      core::Name(product.kind), product.scheme);
    return nullptr;
  }
  if (can_run(*family)) return family;
  why = fmt::format("{} cannot run any kernel of {}", options.gfx, rule->family);
  return nullptr;
}

using Json = nlohmann::ordered_json;

// "padded" is the sum over all steps after the first. Each step also has its own member.
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

// Appends the cells after "demand". Without a row, the cells are empty.
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

core::Result<ModelReads> ReadsOf(const ModelQuestion& question, const core::Families& families,
                                 const std::function<bool(const core::Family&)>& can_run) {
  const core::ShapeOptions& options = question.options;
  const auto plan = core::ProductsOf(
      question.model, {question.tp, options.ep, options.dp_attention, options.engine, options.dtype,
                       options.fuse_shared_experts});
  if (!plan.ok()) return plan.error();
  if (const core::SplitFinding* const refusal = plan->Refusal()) {
    return core::Error{refusal->code, refusal->detail};
  }
  ModelReads reads;
  std::set<const core::Family*> tables;
  std::set<std::string> layers;
  for (const core::ModelProduct& it : plan->products) {
    std::string why;
    const core::Family* const family = TableOf(it, options, families, can_run, why);
    if (family != nullptr) {
      tables.insert(family);
    } else if (layers.insert(it.layer).second) {
      reads.unread.push_back({it.layer, it.kind, it.scheme, std::move(why)});
    }
  }
  for (const auto& family : families.all()) {
    if (tables.contains(family.get())) reads.tables.push_back(family.get());
  }
  return reads;
}

bool HasPrecision(const core::Targets& targets, const core::Family& family, std::string_view gfx) {
  const core::GpuArch* const arch = targets.Find(gfx);
  return arch == nullptr || arch->flops_per_cu_clock.empty() || family.metric.precision.empty() ||
         arch->flops_per_cu_clock.contains(family.metric.precision);
}

core::Result<TablePart> CoverTable(const ModelQuestion& question, const core::Targets& targets,
                                   const lookup::Table& table, const core::Target& target,
                                   const DemandOf& demand) {
  const core::Family& family = table.family();
  auto shapes = ShapesOfModel(question, targets, family, target.gfx);
  if (!shapes.ok()) return shapes.error();
  if (demand) {
    for (core::ShapeDemand& it : *shapes) it.count = demand(it.shape);
  }
  TablePart part{*std::move(shapes), {}};
  part.coverage = Cover(table, target.gfx, family.CuNumOf(target.cu_num), part.shapes);
  return part;
}

void UntunedWork::Add(const UntunedWork& other) {
  flops += other.flops;
  missed += other.missed;
}

UntunedWork UntunedOf(const Coverage& coverage, const PairLayers& layers) {
  struct Pair {
    std::int64_t shapes = 0, open = 0, missed = 0;
  };
  std::vector<Pair> pairs(coverage.pairs.size());
  for (const Cell& cell : coverage.cells) {
    Pair& pair = pairs[cell.pair];
    const std::int64_t open = cell.counts.shapes() - cell.counts.covered();
    pair.shapes += cell.counts.shapes();
    pair.open += open;
    if (open > 0) pair.missed += cell.counts.demand;
  }
  UntunedWork work;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto layer = layers.find(coverage.pairs[i]);
    if (layer == layers.end()) continue;
    const double flops = layer->second.flops * static_cast<double>(pairs[i].open) /
                         static_cast<double>(pairs[i].shapes);
    work.Add({flops, flops * static_cast<double>(pairs[i].missed)});
  }
  return work;
}

nlohmann::ordered_json ShareJson(const BucketShare& share) {
  const Counts& totals = share.totals();
  const auto of = [&](State state) { return totals.of.at(static_cast<std::size_t>(state)); };
  const auto by_demand = share.covered_by_demand();
  return {{"covered", share.covered()},
          {"exact", share.exact()},
          {"covered_by_demand", by_demand ? nlohmann::ordered_json(*by_demand) : nullptr},
          {"buckets", share.buckets()},
          {"shapes", totals.shapes()},
          {"found", totals.covered()},
          {"baseline", of(State::kBaseline)},
          {"unmeasured", of(State::kUnmeasured)},
          {"missing", of(State::kMissing)},
          {"demand", totals.demand}};
}

nlohmann::ordered_json NotesJson(const std::vector<core::SplitFinding>& notes) {
  return core::Mapped(notes, [](const core::SplitFinding& it) {
    return nlohmann::ordered_json{{"code", it.code}, {"detail", it.detail}};
  });
}

nlohmann::ordered_json FindingsJson(const std::vector<core::SplitFinding>& findings) {
  return core::Mapped(findings, [](const core::SplitFinding& it) {
    return nlohmann::ordered_json{
        {"code", it.code}, {"detail", it.detail}, {"refused", it.refused}};
  });
}

nlohmann::ordered_json UnreadJson(const std::vector<UnreadLayer>& unread) {
  return core::Mapped(unread, [](const UnreadLayer& it) -> nlohmann::ordered_json {
    return {{"layer", it.layer}, {"of", core::Name(it.of)}, {"stored", it.scheme}, {"why", it.why}};
  });
}

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
  return core::Error{"bad_state", fmt::format("unknown state '{}' of a shape; expected one of {}",
                                              core::Excerpt(name), known)};
}

}  // namespace tunehub::analysis
