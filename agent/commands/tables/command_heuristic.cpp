#include "agent/commands/tables/command_heuristic.h"

#include <fmt/core.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/base/command_line.h"
#include "agent/commands/tables/heuristic_input.h"
#include "agent/commands/tables/heuristic_report.h"
#include "core/analysis/learn.h"
#include "core/analysis/score_json.h"
#include "core/system/atomic_file.h"
#include "core/system/file_bytes.h"

namespace tunehub::agent {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kListedConfusions = 10;
constexpr const char* kAlwaysZero = "always kernel 0";

// The file that --tree names, else what people wrote down for the family.
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

std::vector<core::Model> Models(const Configuration& configuration) {
  std::vector<core::Model> models;
  for (const std::string& name : core::ModelNames(configuration.models)) {
    auto model = core::LoadModel(configuration.models, name);
    if (model.ok()) models.push_back(*std::move(model));
  }
  return models;
}

void AddConstants(const HeuristicInput& input, const analysis::Heuristic* written,
                  std::vector<Rated>& rated) {
  if (const analysis::Choice* zero = KernelZero(*input.samples)) {
    rated.push_back({kAlwaysZero, analysis::ScoreOf(*input.samples, *zero)});
  }
  if (written != nullptr && written->fallback) {
    rated.push_back({"default", analysis::ScoreOf(*input.samples, *written->fallback)});
  }
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
  std::vector<Rated> rated = {{"heuristic", analysis::ScoreOf(*input->samples, *heuristic)}};
  AddConstants(*input, &*heuristic, rated);
  const analysis::Score& score = rated.front().score;
  const auto models = analysis::ByModel(*input->samples, score, Models(configuration));
  if (!options.json) {
    PrintRated(console.out, *input, rated);
    PrintModels(console.out, models);
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
  const auto begin = std::chrono::steady_clock::now();
  const analysis::Learner learner(*input->samples);
  analysis::Heuristic tree = learner.Learn();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  tree.gfx = input->gfx;
  tree.cu_num = input->cu_num;
  tree.about = fmt::format("Learned from {} tuned shapes.", input->samples->rows.size());
  std::vector<Rated> rated = {{"left out", learner.LeaveOut()},
                              {"seen", analysis::ScoreOf(*input->samples, tree)}};
  auto written = analysis::LoadHeuristic(configuration.heuristics, tables->family());
  if (!written.ok()) return Fail(console, "heuristic", written.error());
  const bool known = *written && (*written)->AppliesTo(input->gfx, input->cu_num);
  if (known) {
    tree.fallback = (*written)->fallback;
    if (!(*written)->nodes.empty())
      rated.push_back({"written down", analysis::ScoreOf(*input->samples, **written)});
  }
  AddConstants(*input, known ? &**written : nullptr, rated);
  Json report = InputJson(*input);
  report["leaves"] = tree.Leaves();
  report["milliseconds"] = took.count();
  report.update(RatedJson(rated));
  Json file = analysis::ToJson(tree, tables->family());
  file["learned"] = RatedJson(rated);  // not the time: equal rows make equal bytes
  const core::Status saved = core::WriteAtomically(options.output, file.dump(2) + "\n");
  if (!saved.ok()) return Fail(console, "heuristic", saved.error());
  if (options.json) {
    console.out << report.dump() << '\n';
    return kGood;
  }
  PrintRated(console.out, *input, rated);
  console.out << options.output << ": " << tree.Leaves() << " leaves\n";
  return kGood;
}

int RunHeuristic(int argc, char** argv, Console& console) {
  HeuristicOptions options;
  std::string configs;
  cli::CommandLine line("Which kernel to run for a shape that nobody has tuned.",
                        "tunehub-agent heuristic");
  cli::CommandLine& score = line.AddCommand("score", "how often it chooses what tuning found");
  cli::CommandLine& learn = line.AddCommand("learn", "a decision tree from tuned rows");
  for (cli::CommandLine* command : {&score, &learn}) {
    command->Add("--table", options.tables, "tuned tables of one family").Required();
    command->Add("--family", options.family, "the family; default: what the tables say");
    command->Add("--gfx", options.gfx, "the target's rows alone");
    command->Add("--cu-num", options.cu_num, "likewise");
    command->Add("--configs", configs, "folder with families/ and heuristics/");
    command->AddFlag("--json", options.json, "report as JSON");
  }
  score.Add("--tree", options.tree, "the heuristic; default: the family's, if there is one");
  learn.Add("-o,--output", options.output, "the tree's file").Required();
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  const auto configuration = LoadConfiguration(configs);
  if (!configuration.ok()) return Fail(console, "heuristic", configuration.error());
  return (score.IsTyped() ? ScoreHeuristic : LearnHeuristic)(*configuration, options, console);
}

}  // namespace tunehub::agent
