#include <map>
#include <tuple>

#include "agent/aiter/untuned_table.h"
#include "agent/commands/explain/explanation.h"
#include "core/row/cell.h"
#include "core/table/table_writer.h"

namespace tunehub::agent {
namespace {

// Of the modules that run the row's kernels, the one whose build matters most to it.
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

// What a lookup on the target answers; AnsweredShape::index is one of part.shapes.
analysis::Coverage Answers(const FamilyPart& part, const lookup::Table& table,
                           const core::Target& target) {
  std::vector<core::ShapeDemand> asked;
  std::vector<std::size_t> place;  // of asked: in part.shapes
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

}  // namespace tunehub::agent
