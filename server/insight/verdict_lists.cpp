#include "server/insight/verdict_lists.h"

#include <fmt/core.h>

#include <unordered_map>

#include "core/builds/build_fit.h"
#include "core/table/table_writer.h"
#include "server/answers/shapes.h"
#include "server/tables/row_pages.h"

namespace tunehub::server {
namespace {

using ListJson = nlohmann::ordered_json;

class Listing {
 public:
  Listing(const core::Family& family, VerdictLists& lists, VerdictCounts& counts)
      : family_(family), lists_(lists), counts_(counts) {}

  void Add(Concern concern, const ListJson& item) {
    ListJson line = {{"family", family_.name}};
    line.update(item);
    lists_.at(static_cast<std::size_t>(concern)).push_back(std::move(line));
    ++counts_[concern];
  }

 private:
  const core::Family& family_;
  VerdictLists& lists_;
  VerdictCounts& counts_;
};

bool IsOfRebuild(const ListJson& item) {
  return item.at("state") == core::Name(core::RowState::kRaisesUntilRebuild);
}

// A lookup drops rows that it never asks for, so its numbers are not those of the set; what it
// views are the set's own lines.
using RowsByLine = std::unordered_map<const char*, const TunedRow*>;

RowsByLine ByLine(const RowSet& set) {
  RowsByLine rows;
  for (const auto& row : set.rows) rows.emplace(row->line.data(), row.get());
  return rows;
}

}  // namespace

VerdictLists EmptyLists() {
  VerdictLists lists;
  lists.fill(ListJson::array());
  return lists;
}

void AddBuildRows(const core::Family& family, const FoundRows& rows, VerdictLists& lists,
                  VerdictCounts& counts) {
  const ListJson& notes = rows.fitted.notes.members->at("build");
  Listing listing(family, lists, counts);
  for (ListJson item : notes.at("after_rebuild")) {
    item["state"] = core::Name(core::RowState::kAfterRebuild);
    item["in_table"] = true;
    listing.Add(Concern::kNeedsRebuild, item);
  }
  for (const ListJson& item : notes.at("substituted")) {
    listing.Add(Concern::kSubstituted, item);
    if (!IsOfRebuild(item)) continue;
    // The row that waits is the one that another stands for.
    listing.Add(Concern::kNeedsRebuild, {{"row", item.at("instead_of")},
                                         {"state", item.at("state")},
                                         {"why", item.at("why")},
                                         {"in_table", false}});
  }
  for (const ListJson& item : notes.at("unfilled")) {
    listing.Add(Concern::kLeftOut, item);
    if (!IsOfRebuild(item)) continue;
    ListJson waiting = item;
    waiting["in_table"] = false;
    listing.Add(Concern::kNeedsRebuild, waiting);
  }
}

std::string ShapeLists::WhyMissing(const core::FamilyShape& shape, const lookup::Table& all) const {
  if (all.Find(shape, gfx_, cu_num_).found()) {
    return "its row was left out, since this build cannot run it: see the rows that are left out";
  }
  return "nobody has tuned it, nor an M that the lookup would take for it: AITER runs its default";
}

std::string ShapeLists::WhyBorrowed(const core::FamilyShape& shape,
                                    const lookup::LookupAnswer& answer, const TunedRow& row) const {
  if (answer.without_cu_num) {
    return fmt::format("the row is of {} CUs, and {} ask", row.cu_num, cu_num_);
  }
  std::string why, scratch;
  const core::Cells cells = core::SplitLine(row.line, scratch);
  for (const std::size_t column : lookup::NotCompared(family_, shape, row.line)) {
    if (shape.cells[column].empty()) continue;
    why += fmt::format(
        "{}the row is of {} {}, and {} is asked for, which the lookup does not tell apart",
        why.empty() ? "" : "; ", family_.columns[column].name, cells[column], shape.cells[column]);
  }
  return why;
}

bool ShapeLists::Waits(const TunedRow& row) const {
  if (rows_.build == nullptr) return false;
  std::string scratch;
  const core::BuildFit fit(family_, rows_.build->manifest);
  return fit.Judge(core::SplitLine(row.line, scratch)).state == core::RowState::kAfterRebuild;
}

analysis::BucketShare ShapeLists::Add(const lookup::Table& table, const lookup::Table& all,
                                      VerdictLists& lists, VerdictCounts& counts) const {
  Listing listing(family_, lists, counts);
  const analysis::Coverage covered = analysis::Cover(table, gfx_, cu_num_, shapes_);
  const RowsByLine by_line = ByLine(rows_.fitted);
  counts.asked += static_cast<std::int64_t>(covered.shapes.size());
  for (const analysis::AnsweredShape& it : covered.shapes) {
    const core::FamilyShape& shape = shapes_[it.index].shape;
    const ListJson asked = ShapeJson(family_, shape);
    if (!it.answer.found()) {
      listing.Add(Concern::kMissing, {{"shape", asked}, {"why", WhyMissing(shape, all)}});
      continue;
    }
    const TunedRow& row = *by_line.at(table.rows()[it.answer.row].line.data());
    const ListJson of = {{"shape", asked}, {"row", RowJson(family_, row)}};
    const auto add = [&](Concern concern, const std::string& why) {
      ListJson item = of;
      item["why"] = why;
      listing.Add(concern, item);
    };
    if (it.state == analysis::State::kUnmeasured) {
      add(Concern::kUnmeasured, "its row has no time that can be trusted: nobody has measured it");
    }
    if (it.state == analysis::State::kBaseline) ++counts.baseline;
    if (Waits(row)) ++counts.waiting;
    const std::string borrowed = WhyBorrowed(shape, it.answer, row);
    if (!borrowed.empty()) add(Concern::kBorrowed, borrowed);
  }
  return covered.share;
}

}  // namespace tunehub::server
