#include "server/service/build_rows.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "core/build_fit.h"
#include "core/table_writer.h"
#include "server/service/past_rows.h"
#include "server/service/row_json.h"

namespace tunehub::service {
namespace {

using Json = nlohmann::ordered_json;
using RowPointer = std::shared_ptr<const TunedRow>;
using KeyAndProvider = std::pair<core::Hash128, registry::Provider>;

class Fitter {
 public:
  Fitter(const core::Family& family, const Build& build, const FitContext& context)
      : family_(family), build_(build), context_(context), fit_(family, build.manifest) {}

  RowSet Run(const RowSet& set, const ReadCandidates& candidates) {
    std::vector<core::Hash128> outside;
    for (const RowPointer& row : set.rows) {
      if (!fit_.Runs(core::SplitLine(row->line, scratch_))) outside.push_back(row->key);
    }
    if (candidates && !outside.empty()) FindSubstitutes(candidates(outside));
    RowSet fitted{&family_, {}, set.notes};
    for (const RowPointer& row : set.rows) {
      if (auto put = Fit(row)) fitted.rows.push_back(std::move(put));
    }
    AddNotes(fitted.notes);
    return fitted;
  }

 private:
  // A time that nobody believes is no ground to prefer one kernel over another.
  void FindSubstitutes(std::vector<store::CandidateRecord> candidates) {
    std::erase_if(candidates, [](const store::CandidateRecord& candidate) {
      return candidate.contender.standing == core::Standing::kUnmeasured;
    });
    const auto runs = [&](const core::Cells& cells) {
      const auto& libtypes = context_.libtypes;
      const bool asked =
          libtypes.empty() || std::ranges::find(libtypes, cells[family_.libtype]) != libtypes.end();
      return asked && fit_.Runs(cells);
    };
    RowSet best = ChosenRows(family_, context_.family_id, std::move(candidates), runs,
                             context_.versions, context_.targets);
    for (RowPointer& row : best.rows) {
      const KeyAndProvider key{row->key, row->provider};
      substitutes_[key] = std::move(row);
    }
  }

  // What stands in the answer for `row`; null: nothing.
  RowPointer Fit(const RowPointer& row) {
    const core::Cells cells = core::SplitLine(row->line, scratch_);
    if (fit_.Runs(cells)) return Renumbered(row);
    const std::string why = fit_.WhyNot(cells);
    const auto substitute = substitutes_.find({row->key, row->provider});
    if (substitute == substitutes_.end()) {
      unfilled_.push_back({{"row", RowJson(family_, *row)}, {"why", why}});
      return nullptr;
    }
    RowPointer put = Renumbered(substitute->second);
    substituted_.push_back(
        {{"row", RowJson(family_, *put)}, {"instead_of", RowJson(family_, *row)}, {"why", why}});
    return put;
  }

  RowPointer Renumbered(const RowPointer& row) {
    core::Cells cells = core::SplitLine(row->line, scratch_);
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
    const Json json = {{"name", name},
                       {"kind", Name(build_.manifest.kind())},
                       {"renumbered", renumbered_},
                       {"substituted", std::move(substituted_)},
                       {"unfilled", std::move(unfilled_)}};
    notes.members += (notes.members.empty() ? "" : ",") + ("\"build\":" + json.dump());
  }

  const core::Family& family_;
  const Build& build_;
  const FitContext& context_;
  const core::BuildFit fit_;
  std::map<KeyAndProvider, RowPointer> substitutes_;
  Json substituted_ = Json::array(), unfilled_ = Json::array();
  std::size_t renumbered_ = 0;
  std::string scratch_;
};

}  // namespace

core::Result<RowSet> FitRows(const RowSet& set, const TunedQuery& query, const Build& build,
                             const ReadCandidates& candidates, const FitContext& context) {
  const RowSet selected = Select(set, query);
  RowSet fitted = Fitter(*set.family, build, context).Run(selected, candidates);
  const bool may_be_empty = query.allow_empty || query.require != Require::kNothing;
  if (fitted.rows.empty() && !selected.rows.empty() && !may_be_empty) {
    return core::Error{"no_rows", "of the " + std::to_string(selected.rows.size()) + " rows of " +
                                      set.family->name + " that match, the build " +
                                      build.name.Text() +
                                      " can run none, nor another candidate of their keys; an "
                                      "empty file would untune it (allow_empty=1 asks for it)"};
  }
  return fitted;
}

}  // namespace tunehub::service
