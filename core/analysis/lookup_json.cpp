#include "core/analysis/lookup_json.h"

#include <fmt/core.h>

#include <array>
#include <nlohmann/json.hpp>

#include "core/row/cell.h"
#include "core/row/row.h"
#include "core/shapes/shape.h"
#include "core/table/table_writer.h"

namespace tunehub::analysis {
namespace {

using Json = nlohmann::ordered_json;

// The place that an attempt searched, by lookup::Step.
constexpr std::array<std::string_view, 7> kPlaces = {
    "the shape itself",
    "M rounded up on the fine grid",
    "M rounded up on the coarse grid",
    "the tier (the number of tokens, rounded up)",
    "the next lower tier",
    "the nearest M, the next larger M, or the next bucket",
    "the shape, rounded up to whole tiles"};
// One text for each step that finds rows. kHeuristic and later steps find no row.
static_assert(kPlaces.size() == static_cast<std::size_t>(lookup::Step::kHeuristic));

Json ShapeOf(const core::Family& family, const core::FamilyShape& shape) {
  Json json = Json::object();
  for (const std::size_t column : core::ShapeColumns(family)) {
    if (shape.cells[column].empty() && family.columns[column].optional) continue;
    json[family.columns[column].name] = core::CellJson(family.columns[column], shape.cells[column]);
  }
  return json;
}

Json RowOf(const lookup::Table& table, std::size_t index) {
  const lookup::TableRow& row = table.rows()[index];
  std::string scratch;
  Json json = core::RowJson(table.family(), core::SplitLine(row.line, scratch));
  json["standing"] = core::Name(row.standing);
  json["baseline"] = row.baseline;
  return json;
}

// For example "exact: this very shape, M=100: no row".
std::string Sentence(const core::Family& family, const lookup::Attempt& attempt, bool found) {
  std::string text(kPlaces.at(static_cast<std::size_t>(attempt.step)));
  if (family.lookup.m != core::kNoColumn) {
    text += fmt::format(", {}={}", family.columns[family.lookup.m].name, attempt.m);
  }
  return text + (found ? ": a row" : ": no row");
}

Json TriedJson(const core::Family& family, const lookup::LookupAnswer& answer) {
  Json list = Json::array();
  for (const lookup::Attempt& attempt : answer.tried) {
    const bool found = answer.found() && attempt == answer.tried.back();
    Json json = {{"step", lookup::Name(attempt.step)}};
    if (family.lookup.m != core::kNoColumn) json["m"] = attempt.m;
    json["found"] = found;
    json["detail"] = Sentence(family, attempt, found);
    list.push_back(std::move(json));
  }
  return list;
}

// "exact": the row that the first attempt would find. "to_tune": the row to tune. It also serves
// every shape that is padded to it.
Json WantedJson(const core::Family& family, const core::FamilyShape& shape,
                const lookup::LookupAnswer& answer, const lookup::Table& table) {
  const bool exact = answer.step == lookup::Step::kExact && answer.found() &&
                     table.rows()[answer.row].standing != core::Standing::kUnmeasured &&
                     !table.rows()[answer.row].baseline;
  if (exact) return nullptr;
  core::FamilyShape first = shape, tuned = shape;
  if (family.lookup.m != core::kNoColumn && !answer.tried.empty()) {
    first.cells[family.lookup.m] = std::to_string(answer.tried.front().m);
    const auto m = core::ParseInt64(shape.cells[family.lookup.m]);
    if (m) tuned.cells[family.lookup.m] = std::to_string(core::LookupM(family, *m));
  }
  return {{"exact", ShapeOf(family, first)}, {"to_tune", ShapeOf(family, tuned)}};
}

Json BuildJson(const core::Family& family, const core::Manifest& build, std::string_view line) {
  std::string scratch;
  const core::Cells cells = core::SplitLine(line, scratch);
  const core::BuildFit fit(family, build);
  const core::RowVerdict verdict = fit.Judge(cells);
  return {{"state", core::Name(verdict.state)},
          {"module", verdict.module == nullptr ? Json() : Json(verdict.module->name)},
          {"why", fit.Why(verdict, cells)}};
}

}  // namespace

Json LookupJson(const lookup::Table& table, const Question& question) {
  const core::Family& family = table.family();
  const lookup::LookupAnswer answer = table.Find(question.shape, question.gfx, question.cu_num);
  Json fallback;
  if (!answer.found())
    fallback["reason"] = "the table has no row, so AITER's own default kernel or rule runs";
  Json json = {{"family", family.name},
               {"gfx", std::string(question.gfx)},
               {"cu_num", question.cu_num > 0 ? Json(question.cu_num) : Json()},
               {"shape", ShapeOf(family, question.shape)},
               {"step", lookup::Name(answer.step)},
               {"row", answer.found() ? RowOf(table, answer.row) : Json()},
               {"fallback", std::move(fallback)},
               {"tried", TriedJson(family, answer)},
               {"also", Json::array()},
               {"not_compared", Json::array()},
               {"other_cu_num", answer.without_cu_num},
               {"wanted", WantedJson(family, question.shape, answer, table)}};
  for (const lookup::Found& also : answer.also) {
    json["also"].push_back({{"step", lookup::Name(also.step)}, {"row", RowOf(table, also.row)}});
  }
  if (question.build != nullptr) json["build"] = Json();
  if (!answer.found()) return json;
  if (question.build != nullptr) {
    json["build"] = BuildJson(family, *question.build, table.rows()[answer.row].line);
  }
  for (const std::size_t column :
       lookup::NotCompared(family, question.shape, table.rows()[answer.row].line)) {
    json["not_compared"].push_back(family.columns[column].name);
  }
  return json;
}

}  // namespace tunehub::analysis
