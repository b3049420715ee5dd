#include "agent/commands/contribute/command_contribute.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "agent/aiter/aiter_tree.h"
#include "agent/base/command_line.h"
#include "agent/commands/contribute/aiter_offers.h"
#include "agent/commands/contribute/contribution_report.h"
#include "agent/commands/contribute/folder_offer.h"
#include "agent/commands/contribute/hub_offer.h"
#include "agent/commands/contribute/pull_request_text.h"
#include "agent/commands/contribute/reader_contribution.h"
#include "agent/commands/tables/reader_folder.h"
#include "agent/hub/online_options.h"
#include "core/shapes/shape.h"

namespace tunehub::agent {
namespace {

// What chooses among a hub's rows.
struct HubFilters {
  std::vector<std::string> families;
  std::string gfx, device;
  int cu_num = 0, tp = 0;
};

// Null: AITER's own tree. Without --reader the tree says: tables of AITER's, else the files of
// the reader that takes the most of them.
core::Result<const core::Reader*> ReaderOfTree(const Configuration& configuration,
                                               const ContributeOptions& options) {
  const core::Reader* none = nullptr;
  if (options.reader == kAiterReader) return none;
  if (!options.reader.empty()) return configuration.readers.Named(options.reader);
  auto tables = FindConfigsFolder(configuration.families, options.tree);
  if (tables.ok()) return none;
  auto reader = ReaderOfFolder(configuration, options.tree);
  if (!reader.ok()) return tables.error();
  return (*reader)->name == kAiterReader ? none : *reader;
}

core::Result<HubAsked> AskedOf(const Configuration& configuration, const HubFilters& filters,
                               const ContributeOptions& options, const core::Reader* reader) {
  HubAsked asked;
  if (reader != nullptr) asked.provider = reader->engine;
  if (!filters.device.empty()) asked.filters.emplace_back("device", filters.device);
  for (const std::string& name : filters.families) {
    const auto family = configuration.families.Named(name);
    if (!family.ok()) return family.error();
    asked.families.push_back(*family);
  }
  asked.named = !asked.families.empty();
  if (reader != nullptr && asked.families.empty()) {
    for (const core::ReaderStore& store : reader->stores) asked.families.push_back(store.family);
  }
  if (asked.families.empty()) asked.families = FamiliesOfAiter(configuration, options.tree);
  if (!filters.gfx.empty()) asked.filters.emplace_back("gfx", filters.gfx);
  if (filters.cu_num > 0) asked.filters.emplace_back("cu_num", std::to_string(filters.cu_num));
  if (filters.tp > 0) {
    asked.filters.emplace_back("model", options.model);
    asked.filters.emplace_back("tp", std::to_string(filters.tp));
  }
  return asked;
}

core::Result<Contribution> ContributionOf(const Configuration& configuration,
                                          const ContributeOptions& options,
                                          const core::Reader* reader, Offer offer) {
  if (reader == nullptr) return ContributeToAiterTree(configuration, options, std::move(offer));
  return ContributeToReader(std::move(offer), {reader, options.tree, options.against});
}

int ContributeOffer(const Configuration& configuration, const ContributeOptions& options,
                    const core::Reader* reader, Offer offer, HubOffer* hub, Console& console) {
  std::vector<nlohmann::ordered_json> runs = offer.runs;
  auto contribution = ContributionOf(configuration, options, reader, std::move(offer));
  if (!contribution.ok()) return Fail(console, "contribute", contribution.error());
  if (hub != nullptr) {
    const core::Status added = hub->AddEvidence(*contribution, runs);
    if (!added.ok()) return Fail(console, "contribute", added.error());
  }
  runs.insert(runs.end(), contribution->runs.begin(), contribution->runs.end());
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
                      const core::Reader* reader, const HubFilters& filters,
                      const OnlineOptions& online, Console& console) {
  const auto asked = AskedOf(configuration, filters, options, reader);
  if (!asked.ok()) return Fail(console, "contribute", asked.error());
  auto hub = Connect(online);
  if (!hub.ok()) return Fail(console, "contribute", hub.error());
  const Pauses pauses = Pauses::Telling(console.err);
  HubOffer source(configuration, **hub, online.retry, pauses);
  auto offer = source.Read(*asked, online.hub);
  if (!offer.ok()) return Fail(console, "contribute", offer.error());
  if (!options.results.only.empty()) {
    const auto kept = KeepListed(options.results.only, *offer);
    if (!kept.ok()) return Fail(console, "contribute", kept.error());
  }
  return ContributeOffer(configuration, options, reader, *std::move(offer), &source, console);
}

void AddContributeOptions(cli::CommandLine& line, ContributeOptions& options, HubFilters& filters) {
  line.Add("TREE", options.tree,
           "an AITER checkout, its aiter/configs or its Triton configs; a tree of vLLM or SGLang")
      .Required();
  line.Add("--reader", options.reader, "whose tree it is; default: as its files say")
      .Suggest({"aiter", "vllm", "sglang"});
  line.Add("--model", options.model, "the model, as upstream's file names have it: dsv3")
      .Required();
  line.Add("--results", options.results.files,
           "tuned tables, or folders of the engine's files; without, what --hub serves");
  line.Add("--before", options.results.before, "tables of the same shapes as they run untuned");
  line.Add("--run", options.results.runs, "JSON of POST /runs: how the results were measured");
  line.Add("--measured", options.measured,
           "times of AITER's Triton configs, as `triton template` has them");
  line.Add("--only", options.results.only, "an untuned table: these shapes alone");
  line.Add("--against", options.against,
           "an open pull request's tree or table: keys that it has stay out");
  line.Add("--file", options.file,
           "the file to write, in place of the model's: model_configs/x_tuned_fmoe.csv");
  line.Add("--family", filters.families,
           "of the hub's rows, default all of AITER's; of --results, default what each says");
  line.Add("--gfx", filters.gfx, "of the hub's rows: this architecture's alone");
  line.Add("--cu-num", filters.cu_num, "of the hub's rows: with this number of CUs")
      .Range(1, core::kMaxCuNum);
  line.Add("--device", filters.device, "of the hub's rows of vLLM or SGLang: this device's alone");
  line.Add("--tp", filters.tp,
           "of the hub's rows: those that the model asks for, split over so many GPUs")
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
  const auto reader = ReaderOfTree(*configuration, options);
  if (!reader.ok()) return Fail(console, "contribute", reader.error());
  if (!options.measured.empty() && *reader != nullptr) {
    return Fail(
        console, "contribute",
        {"bad_arguments", "--measured is of AITER's Triton configs, and this is a tree of " +
                              (*reader)->title + "'s"});
  }
  if (options.results.files.empty()) {
    return ContributeFromHub(*configuration, options, *reader, filters, online, console);
  }
  if (filters.families.size() > 1) {
    return Fail(console, "contribute",
                {"two_families", "--results are of one --family, or say it"});
  }
  if (!filters.families.empty()) options.results.family = filters.families.front();
  const core::Reader* const of_folders =
      *reader == nullptr ? configuration->readers.Find(kAiterReader) : *reader;
  auto offer = of_folders == nullptr ? OfferOfFiles(*configuration, options.results)
                                     : OfferOfReader(*configuration, *of_folders, options.results);
  if (!offer.ok()) return Fail(console, "contribute", offer.error());
  return ContributeOffer(*configuration, options, *reader, *std::move(offer), nullptr, console);
}

}  // namespace tunehub::agent
