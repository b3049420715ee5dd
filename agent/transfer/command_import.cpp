#include <fmt/core.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/aiter/aiter_tree.h"
#include "agent/base/command.h"
#include "agent/base/configuration.h"
#include "agent/base/terminal.h"
#include "agent/hub/http_client.h"
#include "agent/hub/hub_client.h"
#include "agent/transfer/commands.h"
#include "core/base/archive.h"
#include "core/base/file.h"
#include "core/base/process.h"
#include "core/base/read_json.h"
#include "core/base/text.h"
#include "core/readers/tree_reader.h"
#include "core/readers/tunable_file.h"
#include "core/table/detect.h"

namespace tunehub::agent {
namespace {

constexpr int kFound = 200;
constexpr std::size_t kMaxKeyBytes = 400;  // enough for a MoE family's keys, the longest ones
constexpr char kWouldShrink[] = "would_shrink";

core::Result<nlohmann::json> ReceiptOf(const Answer& answer) {
  auto receipt = core::ReadJson(answer.body);
  if (!receipt.is_object() || !receipt.contains("files") || !receipt["files"].is_array()) {
    return core::Error{"bad_answer", "the hub answered 200 without a receipt"};
  }
  return receipt;
}

// Returns the hub's error. If the source would lose rows, it contains the shape keys that would be
// lost.
core::Error RefusalOf(const Answer& answer) {
  core::Error error = ToError(ProblemOf(answer));
  const auto problem = core::ReadJson(answer.body);
  if (error.code != kWouldShrink || !problem.contains("keys") || !problem["keys"].is_array()) {
    return error;
  }
  for (const auto& key : problem["keys"]) {
    if (!key.is_string()) continue;
    error.detail += fmt::format("\n  would be lost: {}",
                                core::Excerpt(key.get_ref<const std::string&>(), kMaxKeyBytes));
  }
  const std::size_t going = Count(problem, "going"), named = problem["keys"].size();
  if (going > named) error.detail += fmt::format("\n  and {} more", going - named);
  return error;
}

constexpr char kAiterSource[] = "aiter";

constexpr std::string_view kFolder = "aiter/configs/";

core::Status AddFile(const std::string& name, const std::filesystem::path& path,
                     std::vector<core::TarFile>& entries) {
  auto bytes = core::FileBytes::Read(path);
  if (!bytes.ok()) return bytes.error();
  entries.push_back({std::string(kFolder) + name, std::string(bytes->view())});
  return core::Ok();
}

// Returns the hub's name for a table that no family describes; "" if the hub would not store the
// file.
std::string CarriedName(const core::Families& families, const TreeFile& file) {
  return core::UnlistedStem(families, std::string(kFolder) + file.name);
}

// Also reads the untuned tables, because their columns decide how unlisted tables merge.
core::Result<std::vector<core::TarFile>> ReadTables(const core::Families& families,
                                                    const AiterTree& tree) {
  std::vector<core::TarFile> entries;
  for (const FamilyFiles& family : tree.families) {
    for (const TreeFile& file : family.files) {
      if (auto status = AddFile(file.name, file.path, entries); !status.ok()) return status.error();
    }
  }
  for (const TreeFile& file : tree.unread) {
    if (CarriedName(families, file).empty()) continue;
    if (auto status = AddFile(file.name, file.path, entries); !status.ok()) return status.error();
    const std::string untuned = core::UntunedName(file.name);
    const std::filesystem::path beside = file.path.parent_path() / core::BaseName(untuned);
    if (untuned.empty() || !std::filesystem::is_regular_file(beside)) continue;
    if (auto status = AddFile(untuned, beside, entries); !status.ok()) return status.error();
  }
  return entries;
}

// Lists tables that the command does not send, because the hub would not store tables with these
// names.
void PrintUnread(const core::Families& families, const AiterTree& tree, std::ostream& out) {
  for (const TreeFile& file : tree.unread) {
    if (!CarriedName(families, file).empty()) continue;
    out << file.path.lexically_normal().string() << ": not read: " << WhyUnread(families, file)
        << '\n';
  }
}

// Prints the hub's answer for one file. Returns true if the hub accepted the whole file.
bool PrintFile(std::ostream& out, const nlohmann::json& file, const ReceiptDetail& detail) {
  const std::string status = PlainMember(file, "status");
  if (status != "imported") {
    out << PlainMember(file, "file") << ": " << status << ' ' << PlainMember(file, "code") << ": "
        << PlainMember(file, "detail") << '\n';
    return status == "skipped";
  }
  BatchHeader header;
  header.file = PlainMember(file, "file");
  header.family = PlainMember(file, "family");
  PrintReceipt(out, header, file, detail);
  return !HasFindings(file);
}

// Judges the folder before a hub is asked. Names the engine whose files it has, if it has none of
// AITER's, or the command for a single table.
core::Status CheckFolder(const Configuration& configuration, const ImportOptions& options) {
  if (!options.reader.empty()) {
    const auto reader = configuration.readers.Named(options.reader);
    if (!reader.ok()) return reader.error();
    const auto tree = ReadReaderTree(**reader, options.folder);
    return tree.ok() ? core::Ok() : core::Status(tree.error());
  }
  const auto tree = ReadTableFolder(configuration.families, options.folder);
  if (tree.ok()) return core::Ok();
  core::Error error = tree.error();
  std::error_code unknown;
  if (std::filesystem::is_regular_file(options.folder, unknown)) {
    error.detail =
        fmt::format("{}: is a file, not a folder. To send one table: tunehub-agent push {}",
                    options.folder, options.folder);
    return error;
  }
  for (const core::Reader& reader : configuration.readers.all()) {
    const auto files = ReadReaderTree(reader, options.folder);
    if (!files.ok()) continue;
    if (core::ReadTree(reader, configuration.targets, files->entries, "").tables.empty()) continue;
    error.detail = fmt::format("{}: has no table of AITER, but files of {}: add --reader {}",
                               options.folder, reader.title, reader.name);
    return error;
  }
  return error;
}

int DryRunImport(const Configuration& configuration, const ImportOptions& options,
                 Console& console) {
  const auto tree = ReadTableFolder(configuration.families, options.folder);
  if (!tree.ok()) return Fail(console, "import", tree.error());
  std::ostream& out = options.json ? console.err : console.out;
  PrintUnread(configuration.families, *tree, out);
  for (const TreeFile& file : tree->unread) {
    const std::string name = CarriedName(configuration.families, file);
    if (name.empty()) continue;
    out << file.path.lexically_normal().string()
        << ": no family describes this table; an admin's import stores it line by line as " << name
        << '\n';
  }
  return DryRun(configuration, tree->families, options.all, options.json, console);
}

}  // namespace

core::Result<nlohmann::json> PostImport(const ImportOptions& options,
                                        const std::vector<core::TarFile>& files, HubClient& hub,
                                        const Pauses& pauses) {
  Parameters parameters = {{"source", options.source}};
  if (options.allow_shrink) parameters.emplace_back("allow_shrink", "1");
  const Request request{
      "POST",
      WithQuery("/import", parameters),
      {{"Content-Type", "application/gzip"}, {"Idempotency-Key", core::RandomUuid()}},
      core::WriteTarGz(files)};
  const auto answer = SendWithRetries(hub, request, options.retry, pauses);
  if (!answer.ok()) return answer.error();
  if (answer->status != kFound) return RefusalOf(*answer);
  return ReceiptOf(*answer);
}

bool PrintImport(const nlohmann::json& receipt, const ImportOptions& options, std::ostream& out) {
  const nlohmann::json& files = receipt["files"];
  // A tree has thousands of remarks, and `check` lists them, too.
  const ReceiptDetail detail{options.all ? kAllRows : kFewRows, options.all};
  bool complete = true;
  for (const nlohmann::json& file : files) {
    if (!PrintFile(out, file, detail)) complete = false;
  }
  out << "source " << options.source << ": " << files.size() << " files, " << SummaryOf(receipt)
      << '\n';
  return complete;
}

int Import(const core::Families& families, const ImportOptions& options, HubClient& hub,
           const Pauses& pauses, Console& console) {
  auto tree = ReadTableFolder(families, options.folder);
  if (!tree.ok()) return Fail(console, "import", tree.error());
  const auto tables = ReadTables(families, *tree);
  if (!tables.ok()) return Fail(console, "import", tables.error());
  PrintUnread(families, *tree, options.json ? console.err : console.out);
  ImportOptions named = options;
  if (named.source.empty()) named.source = kAiterSource;
  const auto receipt = PostImport(named, *tables, hub, pauses);
  if (!receipt.ok()) return Fail(console, "import", receipt.error());
  std::ostream silent(nullptr);
  const bool complete = PrintImport(*receipt, named, options.json ? silent : console.out);
  if (options.json) console.out << receipt->dump(2) << '\n';
  return complete ? kGood : kFinding;
}

int RunImport(int argc, char** argv, Console& console) {
  ImportOptions options;
  OnlineOptions online;
  std::string configs;
  cli::CommandLine line(
      "Sends the tuned tables of an AITER configs folder to the hub, or an engine's own files.",
      "tunehub-agent import");
  line.Add("DIR", options.folder,
           "an AITER checkout or its aiter/configs; with --reader a checkout or site-packages of "
           "the engine, or a folder of its files")
      .Required();
  line.Add("--reader", options.reader,
           "the engine whose files to send: vllm, sglang, aiter (its Triton configs), tunableop "
           "(also one file)");
  line.Add("--device", options.device,
           "with --reader tunableop: the GPU's name in torch, NVIDIA_H200");
  line.Add("--source", options.source,
           "the source's name; an import replaces the last import of the same source; default: "
           "aiter, or the reader's name");
  line.Add("--new-run", options.new_run,
           "with --reader: facts about how the files were made: triton=x engine=y ...");
  line.AddFlag("--dry-run", options.dry_run, "read and report, send nothing");
  line.AddFlag("--allow-shrink", options.allow_shrink,
               "import even if the source would lose more than a tenth of its shape keys");
  line.Add("--configs", configs, "folder with families/ and targets.json");
  line.AddFlag("--all", options.all, "list every row, not only the first of each kind");
  line.AddFlag("--json", options.json, "print the hub's receipt");
  AddOnlineOptions(line, online);
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  auto configuration = LoadConfiguration(configs);
  if (!configuration.ok()) return Fail(console, "import", configuration.error());
  options.retry = online.retry;
  if (options.reader.empty() && !options.new_run.empty()) {
    return Fail(console, "import", {"needs_reader", "--new-run needs --reader"});
  }
  if (!options.device.empty() && options.reader != core::kTunableReader) {
    return Fail(console, "import",
                {"bad_arguments",
                 "--device needs --reader tunableop; other files have the device in their names"});
  }
  if (const auto status = CheckFolder(*configuration, options); !status.ok()) {
    return Fail(console, "import", status.error());
  }
  if (options.dry_run && options.reader.empty()) {
    return DryRunImport(*configuration, options, console);
  }
  if (options.dry_run) {
    return ImportReader(*configuration, options, nullptr, Pauses::Real(), console);
  }
  auto hub = Connect(online);
  if (!hub.ok()) return Fail(console, "import", hub.error());
  if (!options.reader.empty()) {
    return ImportReader(*configuration, options, hub->get(), Pauses::Real(), console);
  }
  return Import(configuration->families, options, **hub, Pauses::Real(), console);
}

}  // namespace tunehub::agent
