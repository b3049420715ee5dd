#include "agent/commands/tables/heuristic_input.h"

#include <fmt/format.h>

#include <set>

#include "agent/commands/tables/input_family.h"
#include "core/base/excerpt.h"
#include "core/system/file_bytes.h"

namespace tunehub::agent {
namespace {

std::string TargetText(const core::Row& row) {
  return fmt::format("{}:{}", row.gfx, row.cu_num);
}

// Of the chosen rows, and of those that were not chosen. Errors: no_rows, several_targets.
core::Status CheckTargets(const std::set<std::string>& chosen,
                          const std::set<std::string>& others) {
  if (chosen.size() == 1) return core::Ok();
  if (chosen.size() > 1) {
    return core::Error{"several_targets",
                       fmt::format("the tables are of {}: choose one with --gfx and --cu-num",
                                   fmt::join(chosen, ", "))};
  }
  if (others.empty()) return core::Error{"no_rows", "the tables have no row"};
  return core::Error{"no_rows", fmt::format("the tables have no row of this target, only of {}",
                                            fmt::join(others, ", "))};
}

}  // namespace

core::Result<analysis::Heuristic> FindHeuristic(const Configuration& configuration,
                                                const HeuristicOptions& options,
                                                const core::Family& family) {
  if (!options.tree.empty()) {
    const auto bytes = core::FileBytes::Read(options.tree);
    if (!bytes.ok()) return bytes.error();
    auto heuristic = analysis::ParseHeuristic(options.tree, bytes->view(), family);
    if (!heuristic.ok() || !heuristic->nodes.empty()) return heuristic;
    return core::Error{"no_heuristic", options.tree + ": has no tree"};
  }
  auto heuristic = analysis::LoadHeuristic(configuration.heuristics, family);
  if (!heuristic.ok()) return heuristic.error();
  if (*heuristic && !(*heuristic)->nodes.empty()) return **std::move(heuristic);
  return core::Error{
      "no_heuristic",
      fmt::format("nobody wrote a heuristic down for {}; pass one that was learned with --tree",
                  family.name)};
}

core::Status FindUntuned(const HeuristicOptions& options,
                         const std::optional<analysis::Choice>& known, analysis::Samples& samples) {
  samples.fallback = known;
  if (options.untuned.empty()) return core::Ok();
  std::size_t found = 0;
  for (const analysis::Choice& choice : samples.choices) {
    for (const std::size_t column : samples.family.kernel_columns) {
      if (choice.cells[column] != options.untuned) continue;
      samples.fallback = choice;
      ++found;
      break;
    }
  }
  if (found == 1) return core::Ok();
  return core::Error{
      "no_candidate",
      fmt::format("--default: {} candidates of the rows run the kernel '{}', not one", found,
                  core::Excerpt(options.untuned))};
}

core::Result<HeuristicTables> HeuristicTables::Read(const Configuration& configuration,
                                                    const HeuristicOptions& options) {
  std::vector<core::FileBytes> bytes;
  std::vector<core::SourceFile> files;
  for (const std::string& path : options.tables) {
    auto file = core::FileBytes::Read(path);
    if (!file.ok()) return file.error();
    bytes.push_back(*std::move(file));
    files.push_back({path, bytes.back().view()});
  }
  const auto family = CommonFamily(configuration.families, options.family, files);
  if (!family.ok()) return family.error();
  HeuristicTables input;
  input.family_ = *family;
  for (const core::SourceFile& file : files) {
    auto table =
        core::ReadTunedTable(**family, configuration.targets, file.text,
                             {.error_limit = std::nullopt, .identify = nullptr, .warnings = false});
    if (!table.ok()) {
      return core::Error{table.error().code, file.name + ": " + table.error().detail};
    }
    input.tables_.push_back(*std::move(table));
  }
  return input;
}

core::Result<HeuristicInput> HeuristicTables::Of(const HeuristicOptions& options,
                                                 const analysis::Heuristic* wanted) const {
  HeuristicInput input;
  input.family = family_;
  input.gfx = !options.gfx.empty() || wanted == nullptr ? options.gfx : wanted->gfx;
  input.cu_num = options.cu_num != 0 || wanted == nullptr ? options.cu_num : wanted->cu_num;
  std::vector<analysis::SampleRow> rows;
  std::set<std::string> targets, others;
  for (const core::TunedTable& table : tables_) {
    for (const core::Row& row : table.rows) {
      const bool here = (input.gfx.empty() || row.gfx == input.gfx) &&
                        (input.cu_num == 0 || row.cu_num == input.cu_num);
      (here ? targets : others).insert(TargetText(row));
      if (here) {
        rows.push_back({row.line, row.cu_num, row.us, row.standing});
      } else {
        ++input.other_targets;
      }
    }
  }
  if (const auto status = CheckTargets(targets, others); !status.ok()) return status.error();
  input.gfx = targets.begin()->substr(0, targets.begin()->rfind(':'));
  input.cu_num = rows.front().cu_num;
  input.samples = std::make_unique<analysis::Samples>(analysis::MakeSamples(*family_, rows));
  return input;
}

}  // namespace tunehub::agent
