#include "agent/tables/command_coverage.h"

#include <fmt/core.h>

#include <iomanip>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "agent/base/command.h"
#include "agent/tables/command_shapes.h"
#include "agent/tables/input_family.h"
#include "agent/tables/served_coverage.h"
#include "core/analysis/coverage_report.h"
#include "core/base/file.h"
#include "core/lookup/table.h"
#include "core/shapes/known_models.h"
#include "core/table/untuned_table.h"

namespace tunehub::agent {

void PrintCoverage(std::ostream& out, const analysis::Coverage& coverage) {
  std::vector<analysis::Counts> buckets(coverage.buckets.size());
  for (const analysis::AnsweredShape& it : coverage.shapes) {
    buckets[it.bucket].Add(it.state, it.demand);
  }
  const auto line = [&](const std::string& title, const analysis::Counts& counts) {
    out << std::left << std::setw(14) << title << std::right << std::setw(8) << counts.shapes();
    for (const std::int64_t count : counts.of) out << std::setw(11) << count;
    out << '\n';
  };
  out << std::left << std::setw(14) << "bucket" << std::right << std::setw(8) << "shapes";
  for (std::size_t i = 0; i < analysis::kStates; ++i) {
    out << std::setw(11) << analysis::Name(static_cast<analysis::State>(i));
  }
  out << '\n';
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const analysis::MBucket& bucket = coverage.buckets[i];
    line(fmt::format("{}-{}", bucket.from, bucket.to), buckets[i]);
  }
  line("all", coverage.totals());
}

void PrintShare(std::ostream& out, const analysis::BucketShare& share) {
  out << fmt::format("{:.1f} % covered, the mean of the buckets; exact {:.1f} %",
                     100 * share.covered(), 100 * share.exact());
  if (const auto by_demand = share.covered_by_demand()) {
    out << fmt::format("; {:.1f} % where buckets weigh as much as their demand", 100 * *by_demand);
  }
  out << '\n';
}

int CodeOf(const analysis::Counts& counts) {
  return counts.covered() == counts.shapes() ? kGood : kFinding;
}

namespace {

constexpr std::size_t kMaxRows = 1'000'000;

struct Question {
  std::vector<core::ShapeDemand> shapes;
  analysis::PairLayers layers;
};

core::Result<Question> OfModel(const Configuration& configuration, const CoverageOptions& options,
                               const core::Family& family, const core::Target& target,
                               std::ostream& err) {
  const auto model = core::LoadModel(configuration.models, options.model);
  if (!model.ok()) return model.error();
  if (const auto known = SayNotes(*model, options.strict, err); !known.ok()) return known.error();
  analysis::ModelQuestion question{*model, options.tp, options.grid, options.max_m, {}};
  question.options.schemes = core::SchemeChoice::kOwnOrAny;
  question.options.gfx = target.gfx;
  auto shapes = analysis::ShapesOfModel(question, configuration.targets, family, target.gfx);
  if (!shapes.ok()) return shapes.error();
  return Question{*std::move(shapes), analysis::LayersOf(question, family)};
}

core::Result<Question> OfUntuned(const CoverageOptions& options, const core::Family& family,
                                 const core::Target& target) {
  const auto bytes = core::FileBytes::Read(options.untuned);
  if (!bytes.ok()) return bytes.error();
  const auto table = core::ReadUntunedTable(family, bytes->view(), target, kMaxRows);
  if (!table.ok()) return table.error();
  if (!table->rejected.empty()) {
    const core::RowIssue& issue = table->rejected.front();
    return core::Error{issue.code, fmt::format("{}:{}: {}: {}", options.untuned, issue.line,
                                               issue.column, issue.detail)};
  }
  Question question;
  for (const core::UntunedRow& it : table->rows) question.shapes.push_back({it.shape, it.count});
  return question;
}

core::Status Write(const lookup::Table& table, const Question& question,
                   const analysis::Coverage& coverage, const CoverageOptions& options,
                   const std::string& device, std::ostream& out) {
  if (options.json) {
    out << analysis::CoverageJson(table.family(), coverage, question.layers).dump(2) << '\n';
  } else if (options.csv) {
    std::vector<analysis::State> states;
    for (const std::string& name : options.states) {
      const auto state = analysis::ParseState(name);
      if (!state.ok()) return state.error();
      states.push_back(*state);
    }
    out << analysis::CoverageCsv(table, question.shapes, coverage, states);
  } else {
    out << device << '\n';
    PrintCoverage(out, coverage);
    PrintShare(out, coverage.share);
  }
  return core::Ok();
}

core::Result<int> CoverOneTable(const Configuration& configuration, const CoverageOptions& options,
                                std::ostream& out, std::ostream& err) {
  const auto read = ReadLookupTable(configuration, options.family, options.tables);
  if (!read.ok()) return read.error();
  const core::Family& family = read->table.family();
  const auto target =
      lookup::TargetToLookUp(configuration.targets, family, options.gfx, options.cu_num);
  if (!target.ok()) return target.error();
  const auto question = options.untuned.empty()
                            ? OfModel(configuration, options, family, *target, err)
                            : OfUntuned(options, family, *target);
  if (!question.ok()) return question.error();
  const auto coverage = analysis::Cover(read->table, target->gfx, target->cu_num, question->shapes);
  const auto written =
      Write(read->table, *question, coverage, options,
            configuration.targets.devices().TargetName(target->gfx, target->cu_num), out);
  if (!written.ok()) return written.error();
  return CodeOf(coverage.totals());
}

}  // namespace

int Coverage(const Configuration& configuration, const CoverageOptions& options, Console& console) {
  const bool one_table = !options.family.empty() || !options.untuned.empty();
  if (!one_table && options.csv) {
    return Fail(console, "coverage", {"bad_arguments", "--csv goes with --family or --untuned"});
  }
  if (!options.rocm.empty() && !core::IsRocmVersion(options.rocm)) {
    return Fail(console, "coverage",
                {"bad_arguments", "--rocm " + options.rocm + " is no version such as 7.2"});
  }
  const auto code = one_table ? CoverOneTable(configuration, options, console.out, console.err)
                              : CoverServed(configuration, options, console.out, console.err);
  return code.ok() ? *code : Fail(console, "coverage", code.error());
}

int RunCoverage(int argc, char** argv, Console& console) {
  CoverageOptions options;
  std::string configs;
  cli::CommandLine line("Counts how much of what serving a model asks for has a tuned row.",
                        "tunehub-agent coverage");
  line.Add("--table", options.tables,
           "a tuned table; several of a family are merged as AITER would")
      .Required();
  line.Add("--family", options.family,
           "this family's table alone, as if the model asked it; default: every table that the "
           "engine reads");
  line.Add("--gfx", options.gfx, "the architecture: gfx942").Required();
  line.Add("--cu-num", options.cu_num, "the CU count; default: the usual one");
  const auto model = line.Add("--model", options.model,
                              "a known name, one of Hugging Face's, a folder or a config.json");
  line.Add("--tp", options.tp, "GPUs that the model is split over").ShowDefault();
  line.Add("--engine", options.engine, "whose reading of the tables counts; default: vllm")
      .Suggest({"vllm", "sglang"});
  line.Add("--rocm", options.rocm, "the ROCm version that it runs with; default: the newest");
  line.Add("--dtype", options.dtype,
           "how the model is stored, whatever its config says: bf16, fp8, fp8_block, int8, fp4");
  line.Add("--grid", options.grid, "gl0, pow2, or values of M: 1,16,1024")
      .Suggest({"gl0", "pow2"})
      .ShowDefault();
  line.Add("--max-m", options.max_m, "where the named grids end").ShowDefault();
  const auto untuned =
      line.Add("--untuned", options.untuned, "an untuned table in place of a model");
  model.Excludes(untuned);
  line.Add("--state", options.states, "with --csv: lines of this state only");
  const auto json =
      line.AddFlag("--json", options.json, "as GET /coverage gives it; with --family, the family");
  line.AddFlag("--strict", options.strict, "refuse a config with a member that nobody knows");
  line.AddFlag("--csv", options.csv, "a line a shape").Excludes(json);
  line.Add("--configs", configs, "folder with families/, models/ and targets.json");
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  if (options.model.empty() && options.untuned.empty()) {
    return Fail(console, "coverage", {"bad_arguments", "--model or --untuned is missing"});
  }
  auto configuration = LoadConfiguration(configs);
  if (!configuration.ok()) return Fail(console, "coverage", configuration.error());
  return Coverage(*configuration, options, console);
}

}  // namespace tunehub::agent
