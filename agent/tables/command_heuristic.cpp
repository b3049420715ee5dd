#include <fmt/core.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/base/command.h"
#include "agent/tables/commands.h"
#include "core/analysis/heuristic.h"
#include "core/analysis/learn.h"
#include "core/analysis/score.h"
#include "core/base/file.h"
#include "core/shapes/known_models.h"

namespace tunehub::agent {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kListedConfusions = 10;
constexpr const char* kAlwaysZero = "always kernel 0";

std::vector<core::Model> Models(const Configuration& configuration) {
  std::vector<core::Model> models;
  for (const std::string& name : core::ModelNames(configuration.models)) {
    auto model = core::LoadModel(configuration.models, name);
    if (model.ok()) models.push_back(*std::move(model));
  }
  return models;
}

// Returns the candidate with id 0 that most rows have. Its score is the score of a build in which
// the first kernel always runs. Null if the family has no ids, or if no row has id 0.
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

void AddConstants(const HeuristicInput& input, std::vector<Rated>& rated) {
  if (const analysis::Choice* zero = KernelZero(*input.samples)) {
    rated.push_back({kAlwaysZero, analysis::ScoreOf(*input.samples, *zero)});
  }
  if (const auto& untuned = input.samples->fallback)
    rated.push_back({"default", analysis::ScoreOf(*input.samples, *untuned)});
}

Json RatedJson(const std::vector<Rated>& rated) {
  Json json = Json::object();
  for (const Rated& it : rated) {
    std::string name = it.name;
    std::replace(name.begin(), name.end(), ' ', '_');
    json[name] = analysis::ToJson(it.score);
  }
  return json;
}

}  // namespace

int ScoreHeuristic(const Configuration& configuration, const HeuristicOptions& options,
                   Console& console) {
  const auto tables = HeuristicTables::Read(configuration, options);
  if (!tables.ok()) return Fail(console, "heuristic", tables.error());
  const auto heuristic = FindHeuristic(configuration, options, tables->family());
  if (!heuristic.ok()) return Fail(console, "heuristic", heuristic.error());
  const auto input = tables->Of(options, &*heuristic);
  if (!input.ok()) return Fail(console, "heuristic", input.error());
  if (auto known = FindUntuned(options, heuristic->fallback, *input->samples); !known.ok())
    return Fail(console, "heuristic", known.error());
  std::vector<Rated> rated = {{"heuristic", analysis::ScoreOf(*input->samples, *heuristic)}};
  AddConstants(*input, rated);
  const analysis::Score& score = rated.front().score;
  const auto models = analysis::ByModel(*input->samples, score, Models(configuration));
  if (!options.json) {
    PrintRated(console.out, *input, rated);
    PrintModels(console.out, models);
    PrintThreeWay(console.out, *input->samples, score.three_way);
    return kGood;
  }
  Json report = InputJson(*input);
  report["leaves"] = heuristic->Leaves();
  report["matches"] = score.all.matches;
  report.update(RatedJson(rated));
  report["models"] = ModelsJson(models);
  report["configurations"] = analysis::ToJson(TotalOf(models));
  report["shapes"] = analysis::GroupsJson(*input->samples, score, input->samples->groups.size());
  report["confusions"] = analysis::ConfusionsJson(*input->samples, score, kListedConfusions);
  console.out << report.dump() << '\n';
  return kGood;
}

int LearnHeuristic(const Configuration& configuration, const HeuristicOptions& options,
                   Console& console) {
  const auto tables = HeuristicTables::Read(configuration, options);
  if (!tables.ok()) return Fail(console, "heuristic", tables.error());
  const auto input = tables->Of(options, nullptr);
  if (!input.ok()) return Fail(console, "heuristic", input.error());
  if (auto enough = analysis::CheckEnough(*input->samples); !enough.ok())
    return Fail(console, "heuristic", enough.error());
  auto written = analysis::LoadHeuristic(configuration.heuristics, tables->family());
  if (!written.ok()) return Fail(console, "heuristic", written.error());
  const bool known = *written && (*written)->AppliesTo(input->gfx, input->cu_num);
  if (auto untuned =
          FindUntuned(options, known ? (*written)->fallback : std::nullopt, *input->samples);
      !untuned.ok())
    return Fail(console, "heuristic", untuned.error());
  const auto begin = std::chrono::steady_clock::now();
  const analysis::Learner learner(*input->samples);
  analysis::Heuristic tree = learner.Learn();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  tree.gfx = input->gfx;
  tree.cu_num = input->cu_num;
  tree.about = fmt::format("Learned from {} tuned shapes.", input->samples->rows.size());
  std::vector<Rated> rated = {{"left out", learner.LeaveOut()},
                              {"seen", analysis::ScoreOf(*input->samples, tree)}};
  tree.fallback = input->samples->fallback;
  if (known && !(*written)->nodes.empty())
    rated.push_back({"written down", analysis::ScoreOf(*input->samples, **written)});
  AddConstants(*input, rated);
  Json report = InputJson(*input);
  report["leaves"] = tree.Leaves();
  report["milliseconds"] = took.count();
  report.update(RatedJson(rated));
  Json file = analysis::ToJson(tree, tables->family());
  file["learned"] = RatedJson(rated);  // without the time, so that equal rows give equal bytes
  const core::Status saved = core::WriteAtomically(options.output, file.dump(2) + "\n");
  if (!saved.ok()) return Fail(console, "heuristic", saved.error());
  if (options.json) {
    console.out << report.dump() << '\n';
    return kGood;
  }
  PrintRated(console.out, *input, rated);
  PrintThreeWay(console.out, *input->samples, rated.front().score.three_way);
  console.out << options.output << ": " << tree.Leaves() << " leaves\n";
  return kGood;
}

int ExportHeuristic(const Configuration& configuration, const HeuristicOptions& options,
                    Console& console) {
  const auto fail = [&](const core::Error& error) { return Fail(console, "heuristic", error); };
  const auto family = configuration.families.Named(options.family);
  if (!family.ok()) return fail(family.error());
  const auto heuristic = FindHeuristic(configuration, options, **family);
  if (!heuristic.ok()) return fail(heuristic.error());
  const auto sources = analysis::SourcesOf(*heuristic, **family);
  if (!sources.ok()) return fail(sources.error());
  const std::filesystem::path folder = options.output;
  if (const auto made = core::MakeFolder(folder); !made.ok()) return fail(made.error());
  for (const analysis::SourceText& it : *sources) {
    const auto written = core::WriteAtomically(folder / it.file, it.text);
    if (!written.ok()) return fail(written.error());
    console.out << (folder / it.file).string() << '\n';
  }
  return kGood;
}

int RunHeuristic(int argc, char** argv, Console& console) {
  HeuristicOptions options;
  std::string configs;
  cli::CommandLine line(
      "Scores, learns or exports a heuristic, which chooses kernels for untuned shapes.",
      "tunehub-agent heuristic");
  cli::CommandLine& score =
      line.AddCommand("score", "count how often a heuristic chooses the tuned candidate");
  cli::CommandLine& learn = line.AddCommand("learn", "learn a decision tree from tuned rows");
  cli::CommandLine& source = line.AddCommand(
      "export", "write the list of kernels to compile, a C++ header and a Python module");
  for (cli::CommandLine* command : {&score, &learn}) {
    command->Add("--table", options.tables, "tuned tables of one family").Required();
    command->Add("--family", options.family, "the family; default: found from the tables");
    command->Add("--default", options.untuned,
                 "the kernel that runs without tuning; default: the one in the heuristic's file");
    command->Add("--gfx", options.gfx, "only the rows of this GPU: MI300X, or gfx942");
    command->Add("--cu-num", options.cu_num, "only the rows of this number of CUs");
    command->AddFlag("--json", options.json, "report as JSON");
  }
  source.Add("--family", options.family, "the heuristic's family").Required();
  source.Add("-o,--output", options.output, "folder for the three files").Required();
  for (cli::CommandLine* command : {&score, &source})
    command->Add("--tree", options.tree, "the heuristic; default: the family's, if there is one");
  for (cli::CommandLine* command : {&score, &learn, &source})
    command->Add("--configs", configs, "folder with families/ and heuristics/");
  learn.Add("-o,--output", options.output, "the file of the heuristic's decision tree").Required();
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  const auto configuration = LoadConfiguration(configs);
  if (!configuration.ok()) return Fail(console, "heuristic", configuration.error());
  if (!options.gfx.empty()) {
    const auto target = core::KnownTarget(configuration->targets, options.gfx, options.cu_num);
    if (!target.ok()) return Fail(console, "heuristic", target.error());
    options.gfx = target->gfx;
    options.cu_num = target->cu_num;
  }
  if (source.IsTyped()) return ExportHeuristic(*configuration, options, console);
  return (score.IsTyped() ? ScoreHeuristic : LearnHeuristic)(*configuration, options, console);
}

}  // namespace tunehub::agent
