#include "server/service/analysis/family_differences.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/base/read_json.h"
#include "core/row/key.h"
#include "core/shapes/shape.h"
#include "core/table/table_writer.h"
#include "server/service/analysis/kernel_name.h"

namespace tunehub::service {
namespace {

std::string ShapeOrder(const core::Family& family, const core::Cells& cells) {
  core::FamilyShape shape;
  shape.cells.resize(family.columns.size());
  for (std::size_t i : core::ShapeColumns(family)) shape.cells[i] = std::string(cells[i]);
  return core::OrderKeyOf(family, shape, "", 0);
}

analysis::Winner WinnerOf(const DifferenceSide& side) {
  return {side.is_there && !side.is_baseline, side.us};
}

// Which versions a run says that it measured.
analysis::Environment VersionsIn(const std::string& provenance) {
  analysis::Environment versions;
  const auto json = core::ReadJson(provenance);
  if (!json.is_object()) return versions;
  for (std::string_view name : analysis::kVersions) {
    const auto member = json.find(std::string(name));
    if (member != json.end() && member->is_string())
      versions[std::string(name)] = member->get<std::string>();
  }
  return versions;
}

class Maker {
 public:
  Maker(const core::Family& family, const Definitions& definitions, FamilyVersions& versions,
        FamilyDifferences& made)
      : family_(family),
        id_(definitions.Id(family)),
        definitions_(definitions),
        versions_(versions),
        made_(made) {}

  void Add(store::DifferenceRecord record) {
    const bool engine_says = family_.engine != core::kNoColumn;
    if (!engine_says && record.provider != registry::DefaultProvider(record.gfx)) return;
    KeyDifference it;
    std::string before, now;
    if (!Read(record.before, it.before, before) || !Read(record.now, it.now, now)) return;
    it.family = &family_;
    it.key = record.key;
    it.provider = record.provider;
    it.gfx = made_.texts.Once(record.gfx);
    it.cu_num = record.cu_num;
    const std::string& line = record.now ? record.now->line : record.before->line;
    it.line = made_.texts.Add(line);
    it.shape = made_.texts.Add(ShapeOrder(family_, core::SplitLine(line, scratch_)));
    it.revision = record.revision;
    it.kind = made_.texts.Once(record.kind);
    it.cause = made_.texts.Once(record.cause);
    it.run = record.run;
    it.difference = analysis::DifferenceOf(WinnerOf(it.before), WinnerOf(it.now), false);
    if (it.difference == analysis::Difference::kSlower && before == now)
      same_.push_back(made_.keys.size());
    made_.keys.push_back(it);
  }

  // A candidate that became slower is the same code where its runs give the same versions.
  void Excuse(store::Store& store) {
    std::set<std::int64_t> runs;
    for (std::size_t place : same_) {
      runs.insert(made_.keys[place].before.run);
      runs.insert(made_.keys[place].now.run);
    }
    std::map<std::int64_t, analysis::Environment> said;
    for (const auto& run : store.measurements().ReadProvenance({runs.begin(), runs.end()}))
      said[run.run] = VersionsIn(run.provenance);
    for (std::size_t place : same_) {
      KeyDifference& it = made_.keys[place];
      const bool same = analysis::SameVersions(said[it.before.run], said[it.now.run]);
      it.difference = analysis::DifferenceOf(WinnerOf(it.before), WinnerOf(it.now), same);
    }
  }

 private:
  // False where the line does not fit the family. Puts it into the family's columns.
  bool Read(std::optional<store::StateRow>& row, DifferenceSide& side, std::string& candidate) {
    if (!row) return true;
    const auto version = versions_.Get(id_, row->family_version);
    if (version->source != family_.source) {
      auto reread = Reread(*version, family_, definitions_.targets, row->line);
      if (!reread) return false;
      row->line = std::move(reread->line);
    }
    const core::Cells cells = core::SplitLine(row->line, scratch_);
    if (cells.size() != family_.columns.size()) return false;
    side.is_there = true;
    side.is_baseline = row->baseline;
    if (row->standing == core::Standing::kMeasured && std::isfinite(row->us)) side.us = row->us;
    side.kernel = made_.texts.Once(KernelOf(family_, cells));
    side.run = row->run;
    core::AppendCandidateText(candidate, family_, cells);
    return true;
  }

  const core::Family& family_;
  const std::int16_t id_;
  const Definitions& definitions_;
  FamilyVersions& versions_;
  FamilyDifferences& made_;
  std::vector<std::size_t> same_;  // slower keys of the same candidate
  std::string scratch_;
};

}  // namespace

std::size_t SizeOf(const FamilyDifferences& differences) {
  return differences.keys.capacity() * sizeof(KeyDifference) + differences.texts.bytes();
}

FamilyDifferences ReadFamilyDifferences(const core::Family& family, const Definitions& definitions,
                                        store::Store& store, FamilyVersions& versions,
                                        std::int64_t since) {
  FamilyDifferences made;
  Maker maker(family, definitions, versions, made);
  for (auto& record : store.revisions().ReadDifferences(definitions.Id(family), since))
    maker.Add(std::move(record));
  maker.Excuse(store);
  return made;
}

}  // namespace tunehub::service
