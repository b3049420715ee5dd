#include <filesystem>
#include <ostream>

#include "agent/base/command.h"
#include "agent/hub/http_client.h"
#include "agent/tables/commands.h"
#include "agent/tables/contribution.h"
#include "core/base/file.h"
#include "core/shapes/shape.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

struct ContributeOptions {
  AiterSite site;
  std::vector<std::string> results, families;
  std::string gfx;
  int cu_num = 0, tp = 0;
  std::string output;  // a folder for changed files; "": none
  std::string text;    // a file for the pull request's text; "": standard output
  bool in_place = false, json = false;
  std::string configs;
  OnlineOptions online;
};

core::Result<OfferedRows> AskHub(const Configuration& configuration,
                                 const ContributeOptions& options) {
  Parameters filters;
  if (!options.gfx.empty()) filters.emplace_back("gfx", options.gfx);
  if (options.cu_num > 0) filters.emplace_back("cu_num", std::to_string(options.cu_num));
  if (options.tp > 0) {
    filters.emplace_back("model", options.site.model);
    filters.emplace_back("tp", std::to_string(options.tp));
  }
  auto hub = Connect(options.online);
  if (!hub.ok()) return hub.error();
  return OfferOfHub(configuration, **hub, options.online.retry, Pauses::Real(), options.families,
                    filters);
}

core::Result<OfferedRows> ReadResults(const Configuration& configuration,
                                      const ContributeOptions& options) {
  if (options.families.size() > 1) {
    return core::Error{"two_families", "with --results, give at most one --family"};
  }
  const std::string family = options.families.empty() ? "" : options.families.front();
  const auto tables = ReadTables(configuration.families, family, options.results);
  if (!tables.ok()) return tables.error();
  return OfferOfTables(configuration, *tables);
}

// Refuses to overwrite a file that is neither the tree's nor this contribution's.
core::Status CheckMayReplace(const fs::path& path, const ContributedFile& file) {
  const auto bytes = core::FileBytes::Read(path);
  if (!bytes.ok()) return bytes.error().code == "file_not_found" ? core::Ok() : bytes.error();
  if (!file.fresh && bytes->view() == file.before) return core::Ok();
  if (bytes->view() == file.bytes) return core::Ok();
  return core::Error{"file_differs",
                     path.string() + " was not read from the tree, so nothing was written"};
}

// Writes every file and the text, or nothing: all of them must be writable.
core::Status Write(const ContributeOptions& options, const Contribution& contribution,
                   const std::string& text) {
  const fs::path folder = options.in_place ? options.site.tree : options.output;
  std::vector<std::pair<fs::path, std::string_view>> writes;
  for (const ContributedFile& file : contribution.files) {
    if (folder.empty()) break;
    writes.emplace_back(folder / file.path, file.bytes);
    if (auto may = CheckMayReplace(writes.back().first, file); !may.ok()) return may;
  }
  if (!options.text.empty()) {
    const fs::path place = fs::absolute(options.text);
    if (auto made = core::MakeFolder(place.parent_path()); !made.ok()) return made;
    if (auto may = core::TryWriting(place); !may.ok()) return may;
    writes.emplace_back(place, text);
  }
  for (const auto& [path, bytes] : writes) {
    if (auto made = core::MakeFolder(path.parent_path()); !made.ok()) return made;
    if (auto written = core::WriteAtomically(path, bytes); !written.ok()) return written;
  }
  return core::Ok();
}

}  // namespace

int RunContribute(int argc, char** argv, Console& console) {
  ContributeOptions options;
  cli::CommandLine line(
      "Writes measured rows into an AITER tree's files, if the tree lacks them or has a slower "
      "kernel. Changes nothing without -o or --in-place.",
      "tunehub-agent contribute");
  line.Add("TREE", options.site.tree, "an AITER checkout, or its aiter/configs").Required();
  line.Add("--model", options.site.model, "the model, as upstream's file names spell it: dsv3")
      .Required();
  line.Add("--results", options.results,
           "tuned tables, or folders of them; default: the rows that --hub serves");
  line.Add("--against", options.site.against,
           "the tree or table of an open pull request: leave out the shapes that it already has");
  line.Add("--file", options.site.file,
           "the file to write, instead of the model's: model_configs/x_tuned_fmoe.csv");
  line.Add(
      "--family", options.families,
      "the family; default: with --hub all families of AITER, with --results found from each file");
  line.Add("--gfx", options.gfx, "only the hub's rows for this architecture");
  line.Add("--cu-num", options.cu_num, "only the hub's rows for this number of CUs")
      .Range(1, core::kMaxCuNum);
  line.Add("--tp", options.tp, "only the hub's rows for the model's shapes at this TP")
      .Range(1, 1024);
  const auto output = line.Add("-o,--output", options.output, "folder for the files that change");
  line.AddFlag("--in-place", options.in_place, "change the tree itself").Excludes(output);
  line.Add("--text", options.text, "file for the pull request's text; default: printed");
  line.AddFlag("--json", options.json, "report as JSON, with every row");
  line.Add("--configs", options.configs, "folder with families/ and targets.json");
  AddOnlineOptions(line, options.online);
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  const auto configuration = LoadConfiguration(options.configs);
  if (!configuration.ok()) return Fail(console, "contribute", configuration.error());
  auto offer = options.results.empty() ? AskHub(*configuration, options)
                                       : ReadResults(*configuration, options);
  if (!offer.ok()) return Fail(console, "contribute", offer.error());
  const auto contribution = ContributeToAiter(*configuration, *std::move(offer), options.site);
  if (!contribution.ok()) return Fail(console, "contribute", contribution.error());
  const bool any = !contribution->files.empty();
  const auto text = PullRequestText(configuration->targets, options.site.model, *contribution);
  const core::Status written = any ? Write(options, *contribution, text) : core::Ok();
  if (!written.ok()) return Fail(console, "contribute", written.error());
  if (options.json) {
    auto json = ContributionJson(*contribution);
    json["text"] = any ? nlohmann::ordered_json(text) : nlohmann::ordered_json();
    console.out << json.dump(2) << '\n';
  } else {
    PrintContribution(console.out, *contribution);
    if (any && options.text.empty()) console.out << '\n' << text;
  }
  return any ? kGood : kFinding;
}

}  // namespace tunehub::agent
