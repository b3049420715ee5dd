#include "server/tables/table_narrowing.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "core/analysis/model_coverage.h"
#include "core/base/text.h"
#include "core/row/target.h"
#include "core/shapes/known_models.h"
#include "core/table/table_writer.h"
#include "server/answers/issues.h"
#include "server/answers/shapes.h"
#include "server/snapshots/snapshot.h"

namespace tunehub::server {

lookup::Table LookupTable(const RowSet& set) {
  return {*set.family, core::Mapped(set.rows, [](const auto& row) { return LookedUp(*row); })};
}

namespace {

using Json = nlohmann::ordered_json;
using Pair = std::vector<std::string>;

// A text of the row's key columns that AITER's lookup compares. Rows with equal texts answer the
// same lookups.
std::string ComparedText(const core::Family& family, const core::Cells& cells) {
  std::string text;
  for (const std::size_t column : family.key_columns) {
    if (column == family.tag || core::Contains(family.lookup.ignored, column)) continue;
    text.append(cells[column]).push_back(',');
  }
  return text;
}

// AITER's lookup ignores some key columns, such as the activation. If rows differ only in these
// columns, the lookup uses the first row. If one of these rows is the model's own, the answer
// leaves out the other rows.
class OwnRows {
 public:
  OwnRows(const core::Family& family, const core::FamilyShape& shape)
      : family_(family), shape_(shape) {}

  void Add(const core::Cells& cells) {
    if (IsOwn(cells) && !IsSkipped(cells)) own_.insert(ComparedText(family_, cells));
  }
  bool Displaces(const core::Cells& cells) const {
    return !IsOwn(cells) && own_.contains(ComparedText(family_, cells));
  }

 private:
  bool IsOwn(const core::Cells& cells) const {
    return std::ranges::all_of(family_.lookup.ignored, [&](std::size_t column) {
      const std::string& own = shape_.cells[column];
      return own.empty() || cells[column] == own;
    });
  }
  // AITER drops the row when it loads the table.
  bool IsSkipped(const core::Cells& cells) const {
    return family_.tag != core::kNoColumn &&
           core::Contains(family_.lookup.skipped_tags, cells[family_.tag]);
  }

  const core::Family& family_;
  const core::FamilyShape& shape_;
  std::set<std::string> own_;
};

// Keeps the rows of sizes that the model uses. If rows differ only in columns that the lookup
// ignores, keeps the model's own row. Keeps rows of any dtype, because a model may run in several
// dtypes.
core::Status KeepModel(const core::Model& model, const TunedQuery& query,
                       const Definitions& definitions, RowSet& set) {
  const core::Family& family = *set.family;
  const auto shapes = analysis::ShapesOfModel({.model = model, .tp = query.tp, .grid = "1"},
                                              definitions.targets, family, "");
  if (!shapes.ok()) return shapes.error();
  std::vector<std::size_t> columns;
  for (const std::string& name : family.heat_map.y) columns.push_back(family.Find(name));
  std::set<Pair> pairs;
  for (const core::ShapeDemand& it : *shapes) {
    Pair pair;
    for (const std::size_t column : columns) pair.push_back(it.shape.cells[column]);
    pairs.insert(std::move(pair));
  }
  std::string scratch;
  OwnRows own(family, shapes->front().shape);
  std::erase_if(set.rows, [&](const auto& row) {
    const core::Cells cells = core::SplitLine(row->line, scratch);
    Pair pair;
    for (const std::size_t column : columns) pair.emplace_back(cells[column]);
    if (pairs.contains(pair)) own.Add(cells);
    return !pairs.contains(pair);
  });
  std::erase_if(set.rows, [&](const auto& row) {
    return own.Displaces(core::SplitLine(row->line, scratch));
  });
  if (!set.rows.empty() || query.allow_empty) return core::Ok();
  return core::Error{"no_rows", fmt::format("no selected row of {} has a size that {} uses at tp "
                                            "{} (to get an empty table, pass allow_empty=1)",
                                            family.name, model.name, query.tp)};
}

std::size_t Prune(RowSet& set) {
  std::vector<std::string_view> lines;
  for (const auto& row : set.rows) lines.push_back(row->line);
  const std::vector<bool> needed = lookup::NeededRows(*set.family, lines);
  std::vector<std::shared_ptr<const TunedRow>> kept;
  for (std::size_t i = 0; i < needed.size(); ++i) {
    if (needed[i]) kept.push_back(std::move(set.rows[i]));
  }
  const std::size_t pruned = needed.size() - kept.size();
  set.rows = std::move(kept);
  return pruned;
}

bool IsEnough(analysis::State state, Require require) {
  if (require == Require::kExact) return state == analysis::State::kExact;
  return analysis::IsCovered(state);
}

// Lists the model's shapes that lack the row that the query requires.
core::Result<std::shared_ptr<const Uncovered>> Check(const core::Model& model,
                                                     const TunedQuery& query,
                                                     const Definitions& definitions,
                                                     const RowSet& set) {
  const lookup::Table table = LookupTable(set);
  Json list = Json::array();
  std::size_t count = 0, asked = 0;
  for (const core::Target& target : query.targets) {
    const auto shapes = analysis::ShapesOfModel({.model = model, .tp = query.tp},
                                                definitions.targets, *set.family, target.gfx);
    if (!shapes.ok()) return shapes.error();
    const int cu_num = set.family->CuNumOf(target.cu_num);
    const auto coverage = analysis::Cover(table, target.gfx, cu_num, *shapes);
    asked += coverage.shapes.size();
    for (const analysis::AnsweredShape& it : coverage.shapes) {
      if (IsEnough(it.state, query.require)) continue;
      if (++count > kMaxListed) continue;
      Json shape = ShapeJson(*set.family, (*shapes)[it.index].shape);
      shape["target"] = TextOf(target);
      shape["state"] = analysis::Name(it.state);
      list.push_back(std::move(shape));
    }
  }
  if (count == 0) return std::shared_ptr<const Uncovered>();
  return std::make_shared<const Uncovered>(Uncovered{
      fmt::format("{} of {} shapes of {} at tp {} do not have {}", count, asked, model.name,
                  query.tp,
                  query.require == Require::kExact ? "an exact tuned row" : "a tuned row"),
      count, list.dump()});
}

}  // namespace

core::Result<Narrowed> Narrow(RowSet set, const TunedQuery& query, const Definitions& definitions) {
  Narrowed narrowed;
  narrowed.set = std::move(set);
  if (query.model.empty()) {
    if (query.prune) narrowed.pruned = Prune(narrowed.set);
    return narrowed;
  }
  const auto model = core::FindModel(definitions.models, query.model);
  if (!model.ok()) return model.error();
  // Checks before KeepModel removes rows, so that the error names the required shapes.
  if (query.require != Require::kNothing) {
    auto uncovered = Check(*model, query, definitions, narrowed.set);
    if (!uncovered.ok()) return uncovered.error();
    narrowed.uncovered = *std::move(uncovered);
    if (narrowed.uncovered != nullptr) return narrowed;
  }
  const core::Status kept = KeepModel(*model, query, definitions, narrowed.set);
  if (!kept.ok()) return kept.error();
  if (query.prune) narrowed.pruned = Prune(narrowed.set);
  return narrowed;
}

}  // namespace tunehub::server
