#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "agent/tables/commands.h"
#include "agent/tables/input_family.h"
#include "core/analysis/score.h"
#include "core/base/file.h"
#include "core/base/text.h"

namespace tunehub::agent {
namespace {

// `chosen`: the selected rows' targets; `others`: other rows'. Errors: no_rows, several_targets.
core::Status CheckTargets(const std::set<std::string>& chosen,
                          const std::set<std::string>& others) {
  if (chosen.size() == 1) return core::Ok();
  if (chosen.size() > 1) {
    return core::Error{
        "several_targets",
        fmt::format("the tables have rows of the targets {}: choose one with --gfx and --cu-num",
                    fmt::join(chosen, ", "))};
  }
  if (others.empty()) return core::Error{"no_rows", "the tables have no row"};
  return core::Error{"no_rows", fmt::format("the tables have no row of this target, only of {}",
                                            fmt::join(others, ", "))};
}

using Json = nlohmann::ordered_json;
using analysis::Tally;

constexpr std::int64_t kAnyM = std::int64_t{1} << 62;  // the last bucket's end

std::string Percent(double share) {
  return fmt::format("{:.2f} %", 100 * share);
}

std::string Percent(const Tally& tally) {
  return tally.rows == 0 ? "-" : Percent(tally.share());
}

void PrintLine(std::ostream& out, const std::string& name, std::size_t rows,
               const std::vector<std::string>& cells) {
  out << fmt::format("{:<22} {:>8}", name, rows);
  for (const std::string& cell : cells) out << fmt::format(" {:>18}", cell);
  out << '\n';
}

std::string NameOfBucket(const analysis::MBucket& bucket) {
  return bucket.from == bucket.to ? fmt::format("M {}", bucket.from)
                                  : fmt::format("M {} to {}", bucket.from, bucket.to);
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
    return core::Error{"no_heuristic",
                       options.tree + ": expected a heuristic with a decision tree"};
  }
  auto heuristic = analysis::LoadHeuristic(configuration.heuristics, family);
  if (!heuristic.ok()) return heuristic.error();
  if (*heuristic && !(*heuristic)->nodes.empty()) return **std::move(heuristic);
  return core::Error{
      "no_heuristic",
      fmt::format(
          "configs/heuristics has no heuristic for {}; pass a learned heuristic with --tree",
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
      fmt::format("--default: {} candidates in the rows run the kernel '{}'; expected exactly one",
                  found, core::Excerpt(options.untuned))};
}

core::Result<HeuristicTables> HeuristicTables::Read(const Configuration& configuration,
                                                    const HeuristicOptions& options) {
  const auto files = ReadInputFiles(options.tables);
  if (!files.ok()) return files.error();
  const auto family = CommonFamily(configuration.families, options.family, files->sources);
  if (!family.ok()) return family.error();
  HeuristicTables input;
  input.family_ = *family;
  for (const core::SourceFile& file : files->sources) {
    auto table =
        core::ReadTunedTable(**family, configuration.targets, file.text,
                             {.error_limit = std::nullopt, .identify = nullptr, .warnings = false});
    if (!table.ok()) return table.error().In(file.name);
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
      (here ? targets : others).insert(fmt::format("{}:{}", row.gfx, row.cu_num));
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

Json InputJson(const HeuristicInput& input) {
  return {{"family", input.family->name},
          {"gfx", input.gfx},
          {"cu_num", input.cu_num},
          {"rows", input.samples->rows.size()},
          {"without_time", input.samples->without_time},
          {"other_targets", input.other_targets}};
}

void PrintRated(std::ostream& out, const HeuristicInput& input, const std::vector<Rated>& rated) {
  out << input.family->name << ", " << input.gfx << ":" << input.cu_num << ", "
      << input.samples->rows.size() << " tuned shapes of " << input.samples->groups.size()
      << " sizes";
  if (input.other_targets > 0) out << "; " << input.other_targets << " rows of other targets";
  if (input.samples->without_time > 0) {
    out << "; " << input.samples->without_time << " rows without a usable time";
  }
  out << "\n";
  std::vector<std::string> cells;
  const auto line = [&](const std::string& name, auto tally_of) {
    cells.clear();
    for (const Rated& it : rated) cells.push_back(Percent(tally_of(it.score)));
    const std::size_t rows = tally_of(rated.front().score).rows;
    if (rows > 0) PrintLine(out, name, rows, cells);
  };
  for (const Rated& it : rated) cells.push_back(it.name);
  PrintLine(out, "the same choice", input.samples->rows.size(), cells);
  for (std::size_t i = 0; i < analysis::kBuckets; ++i) {
    line(NameOfBucket(analysis::BucketAt(i)),
         [i](const analysis::Score& score) { return score.buckets[i]; });
  }
  line("M up to 256", [](const analysis::Score& score) { return score.UpTo(256); });
  line("M 257 to 4096", [](const analysis::Score& score) { return score.UpTo(4096, 256); });
  line("M above 4096", [](const analysis::Score& score) { return score.UpTo(kAnyM, 4096); });
  line("all", [](const analysis::Score& score) { return score.all; });
  cells.clear();
  for (const Rated& it : rated) cells.push_back(Percent(it.score.balanced()));
  PrintLine(out, "mean over the ranges", input.samples->rows.size(), cells);
}

Tally TotalOf(const std::vector<analysis::ModelTally>& models) {
  Tally total;
  for (const analysis::ModelTally& it : models) {
    total.rows += it.tally.rows;
    total.matches += it.tally.matches;
  }
  return total;
}

void PrintModels(std::ostream& out, const std::vector<analysis::ModelTally>& models) {
  if (models.empty()) return;
  out << fmt::format("{:<40} {:>8} {:>8}  {}\n", "configuration", "shapes", "matches",
                     "match rate");
  const auto line = [&](const std::string& name, const Tally& tally) {
    out << fmt::format("{:<40} {:>8} {:>8} {:>11}\n", name, tally.rows, tally.matches,
                       Percent(tally));
  };
  for (const analysis::ModelTally& it : models)
    line(fmt::format("{} TP={}", fmt::join(it.models, ", "), it.tp), it.tally);
  line("total", TotalOf(models));
}

void PrintThreeWay(std::ostream& out, const analysis::Samples& samples,
                   const analysis::ThreeWay& compared) {
  if (!samples.fallback) {
    out << "three-way comparison: the untuned kernel is unknown (name it by --default)\n";
    return;
  }
  out << "three-way comparison: " << compared.keys
      << " shapes with times of default, heuristic and tuned\n";
  if (compared.keys == 0) return;
  const auto line = [&](const char* name, double mean) {
    out << fmt::format("{:<22} {:>8.3f}\n", name, mean);
  };
  line("heuristic over default", compared.heuristic_over_default());
  line("tuned over default", compared.tuned_over_default());
  line("tuned over heuristic", compared.tuned_over_heuristic());
}

Json ModelsJson(const std::vector<analysis::ModelTally>& models) {
  Json json = Json::array();
  for (const analysis::ModelTally& it : models) {
    Json model = {{"models", it.models}, {"tp", it.tp}, {"sizes", it.shapes}};
    model.update(analysis::ToJson(it.tally));
    json.push_back(std::move(model));
  }
  return json;
}

}  // namespace tunehub::agent
