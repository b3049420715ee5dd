#include "server/tables/build_rows.h"

#include <fmt/core.h>

#include <map>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/table/table_writer.h"
#include "server/tables/row_pages.h"

namespace tunehub::server {
namespace {

using Json = nlohmann::ordered_json;
using RowPointer = std::shared_ptr<const TunedRow>;
using KeyAndProvider = std::pair<core::Hash128, Provider>;

// Counts rows by their state in a build, for headers and JSON.
class BuildTally {
 public:
  explicit BuildTally(const core::Family& family) : family_(family) {}

  void Add(const core::RowVerdict& verdict) {
    ++counts_.at(static_cast<std::size_t>(verdict.state));
    if (verdict.state == core::RowState::kEffective) return;
    ++modules_[{verdict.module == nullptr ? "-" : verdict.module->name, verdict.state}];
  }

  // Leaves out kModulesHeader if it would be empty.
  void AddHeaders(Notes& notes) const {
    for (std::size_t i = 0; i < kStateHeaders.size(); ++i) {
      notes.headers.emplace_back(kStateHeaders.at(i), std::to_string(counts_.at(i)));
    }
    const std::string text = core::Joined(modules_, [&](const auto& it) {
      return fmt::format("{}/{}:{}={}", family_.name, it.first.first, Name(it.first.second),
                         it.second);
    });
    if (!text.empty()) notes.headers.emplace_back(kModulesHeader, text);
  }

  // {"effective": 5, ..., "modules": [{"module": "asm", "state": "impossible", "rows": 12}]}
  Json ToJson() const {
    Json json, modules = Json::array();
    for (std::size_t i = 0; i < core::kRowStates; ++i) {
      json[std::string(Name(static_cast<core::RowState>(i)))] = counts_.at(i);
    }
    for (const auto& [place, rows] : modules_) {
      modules.push_back({{"module", place.first}, {"state", Name(place.second)}, {"rows", rows}});
    }
    json["modules"] = std::move(modules);
    return json;
  }

 private:
  const core::Family& family_;
  std::array<std::size_t, core::kRowStates> counts_{};
  std::map<std::pair<std::string, core::RowState>, std::size_t> modules_;
};

class Fitter {
 public:
  Fitter(const core::Family& family, const TunedQuery& query, const Build& build)
      : family_(family),
        query_(query),
        build_(build),
        fit_(family, build.manifest),
        tally_(family) {}

  // Skips unmeasured candidates, because an unknown time is no reason to prefer a kernel.
  void FindSubstitutes(const RowSet& set, const ReadBest& others) {
    std::map<std::string, std::vector<core::Hash128>> outside;  // by gfx
    for (const RowPointer& row : set.rows) {
      if (!fit_.Runs(core::SplitLine(row->line, scratch_))) outside[row->gfx].push_back(row->key);
    }
    for (const auto& [gfx, keys] : outside) {
      // A candidate's stored line may be of another gfx than the keys.
      RowSet best = others(keys, [&, gfx = std::string_view(gfx)](core::Cells cells) {
        if (family_.gfx != core::kNoColumn) cells[family_.gfx] = gfx;
        return fit_.Runs(cells);
      });
      for (RowPointer& row : best.rows) {
        if (row->standing == core::Standing::kUnmeasured) continue;
        const KeyAndProvider key{row->key, row->provider};
        substitutes_[key] = std::move(row);
      }
    }
  }

  RowSet Run(const RowSet& set) {
    RowSet fitted{&family_, {}, set.notes};
    for (const RowPointer& row : set.rows) {
      if (auto put = Fit(row)) fitted.rows.push_back(std::move(put));
    }
    AddNotes(fitted.notes);
    return fitted;
  }

 private:
  // Returns the row itself or its substitute, for the answer; null: the build can run neither of
  // them.
  RowPointer Fit(const RowPointer& row) {
    const core::Cells cells = core::SplitLine(row->line, scratch_);
    const core::RowVerdict verdict = fit_.Judge(cells);
    tally_.Add(verdict);
    if (verdict.served()) return Put(row, verdict, cells);
    const Json without = {{"state", Name(verdict.state)}, {"why", fit_.Why(verdict, cells)}};
    const auto substitute = substitutes_.find({row->key, row->provider});
    core::Cells others;
    core::RowVerdict other;
    if (substitute != substitutes_.end()) {
      others = core::SplitLine(substitute->second->line, scratch_);
      other = fit_.Judge(others);
    }
    if (substitute == substitutes_.end() || !other.served()) {
      unfilled_.push_back({{"row", RowJson(family_, *row)}});
      unfilled_.back().update(without);
      return nullptr;
    }
    tally_.Add(other);
    RowPointer put = Put(substitute->second, other, others);
    substituted_.push_back(
        {{"row", RowJson(family_, *put)}, {"instead_of", RowJson(family_, *row)}});
    substituted_.back().update(without);
    return put;
  }

  // Returns the row with the build's own kernel numbers.
  RowPointer Put(const RowPointer& row, const core::RowVerdict& verdict, core::Cells cells) {
    if (query_.json && verdict.state == core::RowState::kAfterRebuild) {
      waiting_.push_back({{"row", RowJson(family_, *row)},
                          {"module", verdict.module->name},
                          {"why", fit_.Why(verdict, cells)}});
    }
    std::string number;
    if (!fit_.Renumber(cells, number)) return row;
    ++renumbered_;
    auto other = std::make_shared<TunedRow>(*row);
    other->line = core::JoinCells(cells);
    return other;
  }

  void AddNotes(Notes& notes) {
    const std::string name = build_.name.Text();
    notes.headers.emplace_back("Tunehub-Build", name);
    notes.headers.emplace_back("Tunehub-Build-Substituted", std::to_string(substituted_.size()));
    notes.headers.emplace_back("Tunehub-Build-Unfilled", std::to_string(unfilled_.size()));
    notes.headers.emplace_back("Tunehub-Build-Renumbered", std::to_string(renumbered_));
    tally_.AddHeaders(notes);
    notes.AddMember("build", {{"name", name},
                              {"kind", Name(build_.manifest.kind())},
                              {"renumbered", renumbered_},
                              {"rows", tally_.ToJson()},
                              {"after_rebuild", std::move(waiting_)},
                              {"substituted", std::move(substituted_)},
                              {"unfilled", std::move(unfilled_)}});
  }

  const core::Family& family_;
  const TunedQuery& query_;
  const Build& build_;
  const core::BuildFit fit_;
  BuildTally tally_;
  std::map<KeyAndProvider, RowPointer> substitutes_;
  Json waiting_ = Json::array(), substituted_ = Json::array(), unfilled_ = Json::array();
  std::size_t renumbered_ = 0;
  std::string scratch_;
};

// As for imports, a new manifest of a build may lose at most 1 / kBuildShrinkShare of the rows.
constexpr std::size_t kBuildShrinkShare = 10;

}  // namespace

core::Result<RowSet> FitRows(const RowSet& set, const TunedQuery& query, const Build& build,
                             const ReadBest& others) {
  const RowSet selected = Select(set, query);
  Fitter fitter(*set.family, query, build);
  if (others) fitter.FindSubstitutes(selected, others);
  RowSet fitted = fitter.Run(selected);
  const bool may_be_empty = query.allow_empty || query.require != Require::kNothing;
  if (fitted.rows.empty() && !selected.rows.empty() && !may_be_empty) {
    return core::Error{
        "no_rows", fmt::format("{} rows of {} match, but the build {} can run none of them, and no "
                               "other candidate of their shape keys. An empty file would remove "
                               "all tuned rows from the build; to get it, pass allow_empty=1",
                               selected.rows.size(), set.family->name, build.name.Text())};
  }
  return fitted;
}

core::Status CheckBuildShrinkage(const Definitions& definitions, const SnapshotSet& set,
                                 const std::string& name, const core::Manifest& before,
                                 const core::Manifest& after) {
  for (const auto& family : definitions.families.all()) {
    const core::BuildFit now(*family, before), then(*family, after);
    std::size_t held = 0, going = 0;
    std::string scratch;
    for (const auto& row : set.families.at(definitions.Id(*family))->rows) {
      const core::Cells cells = core::SplitLine(row->line, scratch);
      if (!now.Runs(cells)) continue;
      ++held;
      if (!then.Runs(cells)) ++going;
    }
    if (going * kBuildShrinkShare <= held) continue;
    return core::Error{"would_shrink",
                       fmt::format("nothing was stored: build '{}' runs {} rows of {}, and {} of "
                                   "them (more than a tenth) would no longer be served. If you "
                                   "want that, use a key of scope admin and allow_shrink=1",
                                   name, held, family->name, going)};
  }
  return core::Ok();
}

}  // namespace tunehub::server
