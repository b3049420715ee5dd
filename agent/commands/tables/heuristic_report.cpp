#include "agent/commands/tables/heuristic_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/analysis/score_json.h"

namespace tunehub::agent {
namespace {

using Json = nlohmann::ordered_json;
using analysis::Tally;

constexpr std::int64_t kAnyM = std::int64_t{1} << 62;  // where the last bucket of an M ends

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

std::string BucketName(const analysis::MBucket& bucket) {
  return bucket.from == bucket.to ? fmt::format("M {}", bucket.from)
                                  : fmt::format("M {} to {}", bucket.from, bucket.to);
}

}  // namespace

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
    out << "; " << input.samples->without_time << " rows without a time to believe";
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
    line(BucketName(analysis::BucketAt(i)),
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
    out << "three-way comparison: nobody says what runs untuned (--default)\n";
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

const analysis::Choice* KernelZero(const analysis::Samples& samples) {
  const core::Family& family = samples.family;
  const auto id = std::find_if(
      family.config_columns.begin(), family.config_columns.end(),
      [&](std::size_t i) { return family.columns[i].identity == core::Identity::kUnnamed; });
  if (id == family.config_columns.end()) return nullptr;
  std::vector<std::size_t> rows(samples.choices.size());
  for (const analysis::Sample& sample : samples.rows) ++rows[sample.choice];
  const analysis::Choice* zero = nullptr;
  std::size_t most = 0;
  for (std::size_t i = 0; i < samples.choices.size(); ++i) {
    if (samples.choices[i].cells[*id] != "0" || rows[i] <= most) continue;
    most = rows[i];
    zero = &samples.choices[i];
  }
  return zero;
}

}  // namespace tunehub::agent
