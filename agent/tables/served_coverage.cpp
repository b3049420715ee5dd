#include "agent/tables/served_coverage.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "agent/tables/command_coverage.h"
#include "agent/tables/command_shapes.h"
#include "agent/tables/input_family.h"
#include "core/analysis/coverage_report.h"
#include "core/analysis/model_coverage.h"
#include "core/base/file.h"
#include "core/lookup/table.h"
#include "core/shapes/known_models.h"

namespace tunehub::agent {
namespace {

core::Result<const core::EngineReads*> EngineNamed(const Configuration& configuration,
                                                   const std::string& name) {
  std::string known;
  for (const core::EngineReads& engine : configuration.engines) {
    if (name.empty() || engine.name == name) return &engine;
    known += (known.empty() ? "" : ", ") + engine.name;
  }
  return core::Error{"bad_engine",
                     known.empty() ? "no engines.json says what an engine reads: name the table's "
                                     "--family"
                                   : fmt::format("'{}' is no engine, only {}", name, known)};
}

// The tables of the command line, by family.
class TablesByFamily {
 public:
  core::Status Read(const Configuration& configuration, const std::vector<std::string>& files) {
    std::map<const core::Family*, std::vector<std::string>> groups;
    for (const std::string& file : files) {
      const auto bytes = core::FileBytes::Read(file);
      if (!bytes.ok()) return bytes.error();
      const auto family = FamilyOf(configuration.families, "", {file, bytes->view()});
      if (!family.ok()) return family.error();
      groups[*family].push_back(file);
    }
    for (const auto& [family, its] : groups) {
      auto read = ReadLookupTable(configuration, family->name, its);
      if (!read.ok()) return read.error();
      tables_.emplace(family, std::move(read->table));
      held_.push_back(*std::move(read));
    }
    return core::Ok();
  }

  bool HasRows(const core::Family& family) const {
    const auto table = tables_.find(&family);
    return table != tables_.end() && !table->second.rows().empty();
  }
  // Without rows where no file is of the family.
  const lookup::Table& Of(const core::Family& family) {
    return tables_.try_emplace(&family, family, std::vector<lookup::TableRow>()).first->second;
  }

 private:
  std::vector<lookup::LoadedTable> held_;  // what the tables view
  std::map<const core::Family*, lookup::Table> tables_;
};

// As the hub says which tables are of use: where AITER does not run, those with rows.
bool MayRun(const Configuration& configuration, const TablesByFamily& tables,
            const core::Family& family, const std::string& gfx) {
  if (tables.HasRows(family)) return true;
  return gfx.starts_with("gfx") && analysis::HasPrecision(configuration.targets, family, gfx);
}

struct ServedAnswer {
  nlohmann::ordered_json families = nlohmann::ordered_json::array();
  analysis::BucketShare share;
  std::vector<analysis::UnreadLayer> unread;
};

core::Result<ServedAnswer> CoverModel(const Configuration& configuration,
                                      const analysis::ModelQuestion& question,
                                      const core::Target& target, TablesByFamily& tables,
                                      std::ostream* out) {
  auto reads = analysis::ReadsOf(question, configuration.families, [&](const core::Family& it) {
    return MayRun(configuration, tables, it, target.gfx);
  });
  if (!reads.ok()) return reads.error();
  ServedAnswer answer;
  answer.unread = std::move(reads->unread);
  for (const core::Family* family : reads->tables) {
    const lookup::Table& table = tables.Of(*family);
    const auto part = analysis::CoverTable(question, configuration.targets, table, target);
    if (!part.ok()) return part.error();
    answer.share.Add(part->coverage.share);
    answer.families.push_back(
        analysis::CoverageJson(*family, part->coverage, analysis::LayersOf(question, *family)));
    if (out == nullptr) continue;
    *out << family->name << (table.rows().empty() ? ": no --table has a row of it" : "") << '\n';
    PrintCoverage(*out, part->coverage);
  }
  return answer;
}

}  // namespace

core::Result<int> CoverServed(const Configuration& configuration, const CoverageOptions& options,
                              std::ostream& out, std::ostream& err) {
  const auto engine = EngineNamed(configuration, options.engine);
  if (!engine.ok()) return engine.error();
  const auto model = core::LoadModel(configuration.models, options.model);
  if (!model.ok()) return model.error();
  if (const auto known = SayNotes(*model, options.strict, err); !known.ok()) return known.error();
  TablesByFamily tables;
  if (const auto read = tables.Read(configuration, options.tables); !read.ok()) return read.error();
  const auto& all = configuration.families.all();
  const auto counted =
      std::ranges::find_if(all, [](const auto& it) { return it->cu_num != core::kNoColumn; });
  const core::Family& family = counted == all.end() ? *all.front() : **counted;
  const auto target =
      lookup::TargetToLookUp(configuration.targets, family, options.gfx, options.cu_num);
  if (!target.ok()) return target.error();
  analysis::ModelQuestion question{*model, options.tp, options.grid, options.max_m, {}};
  question.options.gfx = target->gfx;
  question.options.dtype = options.dtype;
  question.options = core::ServedBy(std::move(question.options), *engine, options.rocm);
  if (!options.json) {
    out << configuration.targets.devices().TargetName(target->gfx, target->cu_num) << ", "
        << (*engine)->title << '\n';
  }
  auto answer = CoverModel(configuration, question, *target, tables, options.json ? nullptr : &out);
  if (!answer.ok()) return answer.error();
  // A number would be of layers that may be stored otherwise.
  const bool is_known = model->doubts.empty();
  if (options.json) {
    const auto share = is_known ? analysis::ShareJson(answer->share) : nullptr;
    const nlohmann::ordered_json json = {{"gfx", target->gfx},
                                         {"cu_num", target->cu_num},
                                         {"model", model->name},
                                         {"tp", options.tp},
                                         {"engine", (*engine)->name},
                                         {"coverage", share},
                                         {"notes", analysis::NotesJson(core::NotesOf(*model))},
                                         {"unread", analysis::UnreadJson(answer->unread)},
                                         {"families", std::move(answer->families)}};
    out << json.dump(2) << '\n';
    return CodeOf(answer->share.totals());
  }
  const analysis::Counts& totals = answer->share.totals();
  if (totals.shapes() > 0) {
    out << fmt::format("{} of {} shapes are covered by any row: no build was asked\n",
                       totals.covered(), totals.shapes());
    if (is_known) PrintShare(out, answer->share);
  }
  for (const analysis::UnreadLayer& it : answer->unread) {
    out << fmt::format("{} is read by no table: {}\n", it.layer, it.why);
  }
  return CodeOf(totals);
}

}  // namespace tunehub::agent
