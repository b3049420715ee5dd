#include "server/service/tables/heuristic_fill.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "core/analysis/coverage.h"
#include "core/analysis/model_question.h"
#include "core/builds/build_fit.h"
#include "core/row/key.h"
#include "core/shapes/known_models.h"
#include "core/table/table_writer.h"
#include "server/service/analysis/model_shapes.h"
#include "server/service/tables/lookup_table.h"

namespace tunehub::service {
namespace {

constexpr const char* kNoTime = "inf";

// A row for a shape that has none on this target; null where the build cannot run it.
std::shared_ptr<const TunedRow> Chosen(const core::Family& family, const core::FamilyShape& shape,
                                       const core::Target& target,
                                       const analysis::Features& features,
                                       const analysis::Heuristic& heuristic,
                                       const core::Manifest* manifest,
                                       std::vector<double>& numbers) {
  std::vector<std::string> cells = shape.cells;
  cells[family.gfx] = target.gfx;
  if (family.cu_num != core::kNoColumn) cells[family.cu_num] = std::to_string(target.cu_num);
  features.Of(core::Cells(cells.begin(), cells.end()), target.cu_num, numbers);
  const analysis::Choice& choice = heuristic.choices[heuristic.Choose(numbers)];
  for (std::size_t i : family.config_columns) cells[i] = choice.cells[i];
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const core::Column& column = family.columns[i];
    if (column.role != core::Role::kError && column.role != core::Role::kDerived) continue;
    cells[i] = column.type == core::Type::kEnum ? "" : "0.0";
  }
  cells[family.objective] = kNoTime;
  core::Cells view(cells.begin(), cells.end());
  std::string own_number;
  if (manifest != nullptr) {
    const core::BuildFit fit(family, *manifest);
    if (!fit.Runs(view)) return nullptr;
    fit.Renumber(view, own_number);
  }
  auto row = std::make_shared<TunedRow>();
  std::string key;
  core::AppendKeyText(key, family, view);
  row->key = core::HashOf(key);
  core::AppendOrderKey(row->order, family, view);
  row->line = core::JoinCells(view);
  row->gfx = target.gfx;
  row->cu_num = target.cu_num;
  row->provider = registry::DefaultProvider(target.gfx);
  row->standing = core::Standing::kUnmeasured;
  row->us = std::numeric_limits<double>::infinity();
  return row;
}

}  // namespace

core::Result<Filled> Fill(RowSet& set, const TunedQuery& query, const Definitions& definitions,
                          Heuristics* heuristics, const core::Manifest* manifest) {
  const core::Family& family = *set.family;
  if (heuristics == nullptr || family.objective == core::kNoColumn ||
      family.engine != core::kNoColumn || family.gfx == core::kNoColumn) {
    return core::Error{"no_heuristic",
                       fmt::format("no row of {} is chosen by a heuristic", family.name)};
  }
  const auto model = core::FindModel(definitions.models, query.model);
  if (!model.ok()) return model.error();
  const lookup::Table table = LookupTable(set);
  const analysis::Features features(family);
  std::vector<std::shared_ptr<const TunedRow>> added;
  std::vector<double> numbers;
  Filled filled;
  for (const TargetFilter& filter : query.targets) {
    const int cu_num = family.cu_num == core::kNoColumn ? 0 : filter.cu_num.value_or(0);
    const core::Target target{filter.gfx, cu_num};
    std::shared_ptr<const Learned> holder;
    const analysis::Heuristic* const heuristic = heuristics->Best(family, target, holder);
    if (heuristic == nullptr) return heuristics->Learn(family, target).error();
    const auto shapes = analysis::ShapesOfModel({.model = *model, .tp = query.tp},
                                                definitions.targets, family, target.gfx);
    if (!shapes.ok()) return shapes.error();
    const auto coverage = analysis::Cover(table, target.gfx, cu_num, *shapes);
    for (const analysis::AnsweredShape& it : coverage.shapes) {
      if (it.state != analysis::State::kMissing) continue;
      auto row = Chosen(family, (*shapes)[it.index].shape, target, features, *heuristic, manifest,
                        numbers);
      if (row == nullptr) {
        ++filled.left_out;
      } else {
        added.push_back(std::move(row));
      }
    }
  }
  set.rows.insert(set.rows.end(), added.begin(), added.end());
  std::sort(set.rows.begin(), set.rows.end(), [](const auto& a, const auto& b) {
    return std::tie(a->order, a->provider) < std::tie(b->order, b->provider);
  });
  filled.rows = added.size();
  return filled;
}

}  // namespace tunehub::service
