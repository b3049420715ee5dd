#include <fmt/core.h>

#include <algorithm>
#include <iomanip>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "agent/base/command.h"
#include "agent/tables/commands.h"
#include "agent/tables/input_family.h"
#include "core/analysis/model_coverage.h"
#include "core/base/file.h"
#include "core/lookup/table.h"
#include "core/shapes/known_models.h"
#include "core/table/untuned_table.h"

namespace tunehub::agent {
namespace {

// A line per bucket with the counts of its shapes by state.
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
    out << fmt::format("; {:.1f} % with buckets weighted by demand", 100 * *by_demand);
  }
  out << '\n';
}

// kFinding if a shape has no measured row.
int CodeOf(const analysis::Counts& counts) {
  return counts.covered() == counts.shapes() ? kGood : kFinding;
}

core::Result<const core::EngineReads*> EngineNamed(const Configuration& configuration,
                                                   const std::string& name) {
  std::string known;
  for (const core::EngineReads& engine : configuration.engines) {
    if (name.empty() || engine.name == name) return &engine;
    known += (known.empty() ? "" : ", ") + engine.name;
  }
  return core::Error{"bad_engine",
                     known.empty()
                         ? "this configuration has no engines.json, so the tables that an engine "
                           "reads are unknown: pass --family"
                         : fmt::format("unknown engine '{}'; known engines: {}", name, known)};
}

// The tables of the command line, by family.
class TablesByFamily {
 public:
  core::Status Read(const Configuration& configuration, const std::vector<std::string>& files) {
    std::map<const core::Family*, std::vector<std::string>> groups;
    for (const std::string& file : files) {
      const auto family = FamilyOfPath(configuration.families, "", file);
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
  // The family's table; it is empty if no file is of the family.
  const lookup::Table& Of(const core::Family& family) {
    return tables_.try_emplace(&family, family, std::vector<lookup::TableRow>()).first->second;
  }

 private:
  std::vector<lookup::LoadedTable> held_;  // backs the views in tables_
  std::map<const core::Family*, lookup::Table> tables_;
};

// Like the hub: true for AITER's tables on its GPUs; elsewhere only for tables with rows.
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
    *out << family->name
         << (table.rows().empty() ? ": none of the tables (--table) has a row of this target" : "")
         << '\n';
    PrintCoverage(*out, part->coverage);
  }
  return answer;
}

// Prints the coverage of a model by all tables that an engine reads for it. Returns the exit code.
core::Result<int> CoverServed(const Configuration& configuration, const CoverageOptions& options,
                              std::ostream& out, std::ostream& err) {
  const auto engine = EngineNamed(configuration, options.engine);
  if (!engine.ok()) return engine.error();
  const auto model = core::LoadModel(configuration.models, options.model);
  if (!model.ok()) return model.error();
  if (const auto known = SayNotes(*model, options.strict, err); !known.ok()) return known.error();
  TablesByFamily tables;
  if (const auto read = tables.Read(configuration, options.tables); !read.ok()) return read.error();
  const auto target = core::TargetToLookUp(
      configuration.targets, core::KnownTarget(configuration.targets, options.gfx, options.cu_num),
      true);
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
  // Prints no share for a model with doubts, because its layers may have another storage format.
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
    out << fmt::format("{} of {} shapes are covered by some row; no build was checked\n",
                       totals.covered(), totals.shapes());
    if (is_known) PrintShare(out, answer->share);
  }
  for (const analysis::UnreadLayer& it : answer->unread) {
    out << fmt::format("no table serves {}: {}\n", it.layer, it.why);
  }
  return CodeOf(totals);
}

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
  const auto target = core::TargetToLookUp(
      configuration.targets, core::KnownTarget(configuration.targets, options.gfx, options.cu_num),
      family.cu_num != core::kNoColumn);
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
    return Fail(console, "coverage", {"bad_arguments", "--csv needs --family or --untuned"});
  }
  if (!options.rocm.empty() && !core::IsRocmVersion(options.rocm)) {
    return Fail(console, "coverage",
                {"bad_arguments", "--rocm " + options.rocm + ": expected a version such as 7.2"});
  }
  const auto code = one_table ? CoverOneTable(configuration, options, console.out, console.err)
                              : CoverServed(configuration, options, console.out, console.err);
  return code.ok() ? *code : Fail(console, "coverage", code.error());
}

int RunCoverage(int argc, char** argv, Console& console) {
  CoverageOptions options;
  std::string configs;
  cli::CommandLine line(
      "Counts the shapes of a model, or of an untuned CSV, that have a tuned row.",
      "tunehub-agent coverage");
  line.Add("--table", options.tables,
           "a tuned table; several of a family are merged as AITER would")
      .Required();
  line.Add("--family", options.family,
           "count only this family's table, as if the model used that family; default: every table "
           "that the engine reads");
  line.Add("--gfx", options.gfx, "the GPU: MI300X, or gfx942").Required();
  line.Add("--cu-num", options.cu_num,
           "the CU count; default: the GPU's, or the usual one of the gfx");
  const auto model =
      line.Add("--model", options.model,
               "the model: a known name, a Hugging Face name, a folder or a config.json");
  line.Add("--tp", options.tp, "number of GPUs over which the model is split").ShowDefault();
  line.Add("--engine", options.engine, "the engine that reads the tables; default: vllm")
      .Suggest({"vllm", "sglang"});
  line.Add("--rocm", options.rocm, "the ROCm version under the engine; default: the newest");
  line.Add("--dtype", options.dtype,
           "the model's storage type, instead of its config's: bf16, fp8, fp8_block, int8, fp4");
  line.Add("--grid", options.grid,
           "the values of M: gl0 (AITER's fine grid), pow2 (powers of two), or a list such as "
           "1,16,1024")
      .Suggest({"gl0", "pow2"})
      .ShowDefault();
  line.Add("--max-m", options.max_m, "with gl0 or pow2: the largest M").ShowDefault();
  const auto untuned =
      line.Add("--untuned", options.untuned, "an untuned table instead of a model");
  model.Excludes(untuned);
  line.Add("--state", options.states, "with --csv: print only lines with this state");
  const auto json =
      line.AddFlag("--json", options.json, "as GET /coverage gives it; with --family, the family");
  line.AddFlag("--strict", options.strict, "refuse a config with an unknown member");
  line.AddFlag("--csv", options.csv, "print one CSV line per shape").Excludes(json);
  line.Add("--configs", configs, "folder with families/, models/ and targets.json");
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  if (options.model.empty() && options.untuned.empty()) {
    return Fail(console, "coverage", {"bad_arguments", "pass --model or --untuned"});
  }
  auto configuration = LoadConfiguration(configs);
  if (!configuration.ok()) return Fail(console, "coverage", configuration.error());
  return Coverage(*configuration, options, console);
}

}  // namespace tunehub::agent
