#include "agent/commands/contribute/command_contribute.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "agent/aiter/build_scan.h"
#include "agent/base/command_line.h"
#include "agent/commands/contribute/aiter_contribution.h"
#include "agent/commands/contribute/contribution_report.h"
#include "agent/commands/contribute/hub_offer.h"
#include "agent/commands/contribute/pull_request_text.h"
#include "agent/hub/online_options.h"
#include "core/shapes/shape.h"

namespace tunehub::agent {
namespace {

// What chooses among a hub's rows.
struct HubFilters {
  std::vector<std::string> families;
  std::string gfx;
  int cu_num = 0, tp = 0;
};

core::Result<HubAsked> AskedOf(const Configuration& configuration, const HubFilters& filters,
                               const std::string& model) {
  HubAsked asked;
  for (const std::string& name : filters.families) {
    const auto family = configuration.families.Named(name);
    if (!family.ok()) return family.error();
    asked.families.push_back(*family);
  }
  if (!filters.gfx.empty()) asked.filters.emplace_back("gfx", filters.gfx);
  if (filters.cu_num > 0) asked.filters.emplace_back("cu_num", std::to_string(filters.cu_num));
  if (filters.tp > 0) {
    asked.filters.emplace_back("model", model);
    asked.filters.emplace_back("tp", std::to_string(filters.tp));
  }
  return asked;
}

// A tree of tables alone tells of no kernels.
std::optional<core::Manifest> KernelsOf(const Configuration& configuration,
                                        const std::string& tree) {
  auto scan = ScanBuild(configuration, {tree, {}, {}});
  if (!scan.ok()) return std::nullopt;
  return std::move(scan->manifest);
}

int ContributeOffer(const Configuration& configuration, const ContributeOptions& options,
                    Offer offer, HubOffer* hub, Console& console) {
  std::vector<nlohmann::ordered_json> runs = offer.runs;
  const auto build = KernelsOf(configuration, options.tree);
  auto contribution = ContributeToAiter(
      configuration, std::move(offer),
      {options.tree, options.model, options.file, options.against, build ? &*build : nullptr});
  if (!contribution.ok()) return Fail(console, "contribute", contribution.error());
  if (hub != nullptr) {
    const core::Status added = hub->AddEvidence(*contribution, runs);
    if (!added.ok()) return Fail(console, "contribute", added.error());
  }
  const std::string text =
      PullRequestText(configuration.targets, options.model, *contribution, runs);
  const core::Status written = WriteContribution(options, *contribution, text);
  if (!written.ok()) return Fail(console, "contribute", written.error());
  if (options.json) {
    auto json = ContributionJson(*contribution);
    json["text"] =
        contribution->files.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
    console.out << json.dump(2) << '\n';
  } else {
    PrintContribution(console.out, *contribution);
    const bool print = options.text.empty() && !contribution->files.empty();
    if (print) console.out << '\n' << text;
  }
  return contribution->files.empty() ? kFinding : kGood;
}

int ContributeFromHub(const Configuration& configuration, const ContributeOptions& options,
                      const HubFilters& filters, const OnlineOptions& online, Console& console) {
  const auto asked = AskedOf(configuration, filters, options.model);
  if (!asked.ok()) return Fail(console, "contribute", asked.error());
  auto hub = Connect(online);
  if (!hub.ok()) return Fail(console, "contribute", hub.error());
  const Pauses pauses = Pauses::Real();
  HubOffer source(configuration, **hub, online.retry, pauses);
  auto offer = source.Read(*asked, online.hub);
  if (!offer.ok()) return Fail(console, "contribute", offer.error());
  if (!options.results.only.empty()) {
    const auto kept = KeepListed(options.results.only, *offer);
    if (!kept.ok()) return Fail(console, "contribute", kept.error());
  }
  return ContributeOffer(configuration, options, *std::move(offer), &source, console);
}

void AddContributeOptions(cli::CommandLine& line, ContributeOptions& options, HubFilters& filters) {
  line.Add("TREE", options.tree, "an AITER checkout or its aiter/configs").Required();
  line.Add("--model", options.model, "by which upstream names the file: dsv3").Required();
  line.Add("--results", options.results.files, "tuned tables; without, what --hub serves");
  line.Add("--before", options.results.before, "tables of the same shapes as they run untuned");
  line.Add("--run", options.results.runs, "JSON of POST /runs: how the results were measured");
  line.Add("--only", options.results.only, "an untuned table: these shapes alone");
  line.Add("--against", options.against,
           "an open pull request's tree or table: its keys are taken");
  line.Add("--file", options.file, "in place of the model's: model_configs/x_tuned_fmoe.csv");
  line.Add("--family", filters.families,
           "of the hub, default all of AITER's; of --results, default what each says");
  line.Add("--gfx", filters.gfx, "of the hub: this target's rows alone");
  line.Add("--cu-num", filters.cu_num, "of the hub: with this number of CUs")
      .Range(1, core::kMaxCuNum);
  line.Add("--tp", filters.tp, "of the hub: what the model asks for, split over so many GPUs")
      .Range(1, 1024);
  const auto output = line.Add("-o,--output", options.output, "folder for the files that change");
  const auto in_place = line.AddFlag("--in-place", options.in_place, "change the tree itself");
  in_place.Excludes(output);
  line.Add("--text", options.text, "file for the pull request's text; default: printed");
  line.AddFlag("--json", options.json, "report as JSON, with every row");
}

}  // namespace

int RunContribute(int argc, char** argv, Console& console) {
  ContributeOptions options;
  OnlineOptions online;
  HubFilters filters;
  std::string configs;
  bool dry_run = false;
  cli::CommandLine line(
      "Gives measured rows back to upstream: those that its tree does not have, in its files. "
      "Nothing is changed without -o or --in-place.",
      "tunehub-agent contribute");
  AddContributeOptions(line, options, filters);
  line.AddFlag("--dry-run", dry_run, "say what would be written, and write nothing");
  line.Add("--configs", configs, "folder with families/ and targets.json");
  AddOnlineOptions(line, online);
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  if (dry_run) {
    options.output.clear();
    options.text.clear();
    options.in_place = false;
  }
  const auto configuration = LoadConfiguration(configs);
  if (!configuration.ok()) return Fail(console, "contribute", configuration.error());
  if (options.results.files.empty()) {
    return ContributeFromHub(*configuration, options, filters, online, console);
  }
  if (filters.families.size() > 1) {
    return Fail(console, "contribute",
                {"two_families", "--results are of one --family, or say it"});
  }
  if (!filters.families.empty()) options.results.family = filters.families.front();
  auto offer = OfferOfFiles(*configuration, options.results);
  if (!offer.ok()) return Fail(console, "contribute", offer.error());
  return ContributeOffer(*configuration, options, *std::move(offer), nullptr, console);
}

}  // namespace tunehub::agent
