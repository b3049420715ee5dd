#include <fmt/core.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "agent/aiter/untuned_table.h"
#include "agent/capture/explanation.h"
#include "agent/hub/http_client.h"
#include "core/base/read_json.h"
#include "core/row/cell.h"
#include "core/table/table_writer.h"

namespace tunehub::agent {
namespace {

// Returns the module that depends most on the build, among the modules that run the row's kernels.
const core::Module* DecidingModule(const core::Family& family, const core::Cells& cells) {
  const core::Module* deciding = nullptr;
  for (const std::size_t column : family.kernel_columns) {
    if (core::IsMissing(cells[column])) continue;
    const core::Module* const module = core::ModuleOf(family, cells, cells[column]);
    if (module == nullptr) continue;
    if (deciding == nullptr || module->dispatch > deciding->dispatch) deciding = module;
  }
  return deciding;
}

FoundRow FoundAt(const lookup::Table& table, std::size_t index, const core::Manifest* build) {
  const lookup::TableRow& row = table.rows()[index];
  FoundRow found{std::string(row.line), row.us, core::RowState::kEffective, nullptr};
  std::string scratch;
  const core::Cells cells = core::SplitLine(found.line, scratch);
  if (build == nullptr) {
    found.module = DecidingModule(table.family(), cells);
    return found;
  }
  const core::RowVerdict verdict = core::BuildFit(table.family(), *build).Judge(cells);
  found.state = verdict.state;
  found.module = verdict.module;
  return found;
}

// Looks up the shapes on the target. AnsweredShape::index is an index into part.shapes.
analysis::Coverage Answers(const FamilyPart& part, const lookup::Table& table,
                           const core::Target& target) {
  std::vector<core::ShapeDemand> asked;
  std::vector<std::size_t> place;  // index in part.shapes of each element of `asked`
  for (std::size_t i = 0; i < part.shapes.size(); ++i) {
    const auto shape = core::ShapeOfUntuned(*part.family, target.gfx, part.shapes[i].miss.cells);
    if (!shape) continue;
    asked.push_back({*shape, 1});
    place.push_back(i);
  }
  auto coverage = analysis::Cover(table, target.gfx, target.cu_num, asked);
  for (analysis::AnsweredShape& answered : coverage.shapes) {
    answered.index = place[answered.index];
  }
  return coverage;
}

void FindRows(FamilyPart& part, const lookup::Table& table, const core::Manifest* build) {
  for (const analysis::AnsweredShape& answered : Answers(part, table, part.target).shapes) {
    ExplainedShape& shape = part.shapes[answered.index];
    shape.state = answered.state;
    if (answered.answer.found()) shape.row = FoundAt(table, answered.answer.row, build);
  }
}

std::vector<ModuleNeed> NeedsOf(const FamilyPart& part, bool build_known) {
  std::map<std::tuple<std::size_t, const core::Module*>, std::size_t> counts;
  for (const ExplainedShape& shape : part.shapes) {
    if (shape.tuned() && shape.row) {
      ++counts[{build_known ? static_cast<std::size_t>(shape.row->state) : 0, shape.row->module}];
    }
  }
  std::vector<ModuleNeed> needs;
  for (const auto& [key, rows] : counts) {
    const auto& [state, module] = key;
    ModuleNeed need{module, std::nullopt, rows};
    if (build_known) need.state = static_cast<core::RowState>(state);
    needs.push_back(need);
  }
  return needs;
}

constexpr std::int64_t kMostCus = 65'536;  // the limit of GET /tuned
// Error codes of a static export. kStaticExport: it cannot answer the request. kNoRows: it has no
// such rows.
constexpr std::string_view kStaticExport = "static_export", kNoRows = "no_rows";

// Returns no parameters for an unknown target, so that the request returns the rows of all targets.
Parameters TargetParameters(const core::Family& family, const core::Target& target) {
  if (target.gfx.empty()) return {};
  Parameters parameters = {{"gfx", target.gfx}};
  if (family.cu_num != core::kNoColumn) {
    parameters.emplace_back("cu_num", std::to_string(target.cu_num));
  }
  return parameters;
}

class HubRows : public RowSource {
 public:
  HubRows(const Configuration& configuration, std::string address, HubClient& hub,
          const RetryPolicy& retry, const Pauses& pauses)
      : configuration_(configuration),
        address_(std::move(address)),
        hub_(hub),
        retry_(retry),
        pauses_(pauses) {}

  core::Result<FamilyRows> Read(const core::Family& family, const core::Target& target) override {
    FamilyRows rows;
    auto targets = TargetsOf(family);
    if (!targets.ok() && targets.error().code == kStaticExport) return ReadExport(family, target);
    if (!targets.ok()) return targets.error();
    rows.targets = *std::move(targets);
    if (core::Status read = ReadTable(family, target, rows); !read.ok()) return read.error();
    return rows;
  }

  core::Result<std::vector<std::string>> LinesLike(
      const core::Family& family,
      const std::vector<std::pair<std::string, std::string>>& cells) override {
    Parameters asked(cells.begin(), cells.end());
    asked.emplace_back("allow_empty", "1");
    auto csv = Get("/tuned/" + family.name, asked);
    if (!csv.ok() && csv.error().code == kStaticExport) {
      takes_demand_ = false;
      csv = Get("/tuned/" + family.name, {});  // an export cannot select by cells
      if (!csv.ok() && csv.error().code == kNoRows) return std::vector<std::string>();
    }
    if (!csv.ok()) return csv.error();
    return LinesOfTable(family, configuration_.targets, *csv);
  }

  std::string Name() const override {
    return takes_demand_ ? address_ : address_ + ", a static export";
  }
  bool TakesDemand() const override { return takes_demand_; }

 private:
  core::Result<std::string> Get(const std::string& path, const Parameters& parameters) {
    return GetBody(hub_, path, parameters, retry_, pauses_);
  }

  // Reads the index, which this object fetches once.
  core::Result<std::vector<TargetRows>> TargetsOf(const core::Family& family) {
    if (index_.is_null()) {
      const auto body = Get("/tuned", {});
      if (!body.ok()) return body.error();
      index_ = core::ReadJson(*body);
    }
    std::vector<TargetRows> targets;
    try {
      for (const auto& entry : index_.at("families")) {
        if (entry.at("family") != family.name) continue;
        for (const auto& it : entry.at("targets")) {
          targets.push_back({{it.at("gfx").get<std::string>(),
                              static_cast<int>(core::SureInteger(it.at("cu_num"), 0, kMostCus))},
                             static_cast<std::size_t>(core::SureInteger(it.at("rows"), 0))});
        }
      }
    } catch (const nlohmann::json::exception& error) {
      return core::Error{"bad_answer", fmt::format("{}/tuned: {}", address_, error.what())};
    }
    return targets;
  }

  // Reads all served rows. Includes baselines, since a lookup stops at the first row, tuned or not.
  // A second query shows which rows are baselines.
  core::Status ReadTable(const core::Family& family, const core::Target& target, FamilyRows& rows) {
    Parameters asked = TargetParameters(family, target);
    asked.emplace_back("allow_empty", "1");
    const auto all = Get("/tuned/" + family.name, asked);
    if (!all.ok()) return all.error();
    asked.emplace_back("measured", "tuned");
    const auto tuned = Get("/tuned/" + family.name, asked);
    if (!tuned.ok()) return tuned.error();
    auto table = Load(family, *all);
    if (!table.ok()) return table.error();
    const auto of_tuned = Load(family, *tuned);
    if (!of_tuned.ok()) return of_tuned.error();
    std::set<std::string_view> lines;
    for (const lookup::TableRow& row : of_tuned->table.rows()) lines.insert(row.line);
    std::vector<lookup::TableRow> marked = table->table.rows();
    for (lookup::TableRow& row : marked) {
      row.baseline = row.standing == core::Standing::kMeasured && !lines.contains(row.line);
    }
    rows.table = std::make_unique<lookup::LoadedTable>(
        lookup::LoadedTable{std::move(table->rows), lookup::Table(family, std::move(marked)), {}});
    return core::Ok();
  }

  // Reads a static export, which does not show which rows are baselines.
  core::Result<FamilyRows> ReadExport(const core::Family& family, const core::Target& target) {
    takes_demand_ = false;
    FamilyRows rows;
    rows.all_targets = false;
    if (target.gfx.empty() && family.gfx != core::kNoColumn) return rows;
    const auto csv = Get("/tuned/" + family.name, TargetParameters(family, target));
    if (!csv.ok() && csv.error().code == kNoRows) return rows;
    if (!csv.ok()) return csv.error();
    auto table = Load(family, *csv);
    if (!table.ok()) return table.error();
    rows.table = std::make_unique<lookup::LoadedTable>(*std::move(table));
    rows.targets = {{target, rows.table->table.rows().size()}};
    return rows;
  }

  core::Result<lookup::LoadedTable> Load(const core::Family& family, const std::string& csv) const {
    const std::vector<core::SourceFile> sources = {{"the hub's table", csv}};
    return lookup::LoadTable(family, configuration_.targets, sources);
  }

  const Configuration& configuration_;
  std::string address_;
  HubClient& hub_;
  RetryPolicy retry_;
  const Pauses& pauses_;
  nlohmann::json index_;
  bool takes_demand_ = true;
};

}  // namespace

void LookUpRows(FamilyPart& part, const FamilyRows& rows, const core::Manifest* build) {
  part.targets = rows.targets;
  part.all_targets = rows.all_targets;
  part.files = rows.files;
  if (rows.table != nullptr && part.LacksGpu()) {
    for (const TargetRows& it : rows.targets) {
      const auto covered = Answers(part, rows.table->table, it.target).totals().covered();
      part.tuned_on.push_back(static_cast<std::size_t>(covered));
    }
  } else if (rows.table != nullptr) {
    FindRows(part, rows.table->table, build);
  }
  part.states = {};
  for (const ExplainedShape& shape : part.shapes) {
    ++part.states.at(static_cast<std::size_t>(shape.state));
  }
  part.needs = NeedsOf(part, build != nullptr);
  for (ShapeGroup& group : part.groups) {
    group.tuned = 0;
    for (const std::size_t i : group.shapes) group.tuned += part.shapes[i].tuned() ? 1 : 0;
  }
  part.to_tune = 0;
  for (const UntunedTable& table : UntunedTables(Untuned(part), false)) {
    part.to_tune += table.shapes;
  }
}

std::unique_ptr<RowSource> RowsOfHub(const Configuration& configuration, const std::string& address,
                                     HubClient& hub, const RetryPolicy& retry,
                                     const Pauses& pauses) {
  return std::make_unique<HubRows>(configuration, address, hub, retry, pauses);
}

}  // namespace tunehub::agent
