#include "agent/commands/hub/reader_import.h"

#include <fmt/core.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/base/command_line.h"
#include "agent/base/provenance.h"
#include "agent/base/remark.h"
#include "agent/commands/hub/import_request.h"
#include "agent/readers/reader_tree.h"
#include "core/base/rfc3339.h"
#include "core/readers/tree_reader.h"
#include "core/system/tar.h"

namespace tunehub::agent {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kRunFile[] = "run.json";  // beside the tables: what is known of how they were made

// What the hub makes of the entry `run.json` is a run; without one it makes up its own.
core::Result<std::string> RunText(const ImportOptions& options) {
  if (options.new_run.empty()) return std::string();
  const auto run = ProvenanceOf(options.new_run, core::UtcText(std::chrono::system_clock::now()));
  if (!run.ok()) return run.error();
  return run->dump();
}

core::Result<std::string> PackTables(const core::TreeReading& reading,
                                     const ImportOptions& options) {
  const auto run = RunText(options);
  if (!run.ok()) return run;
  std::vector<core::TarFile> files;
  if (!run->empty()) files.push_back({kRunFile, *run});
  for (const core::TreeTable& table : reading.tables) {
    files.push_back({table.family->file, table.csv});
  }
  return core::WriteTarGz(files);
}

std::string Line(const core::Finding& finding) {
  const std::string member = finding.member.empty() ? "" : fmt::format(" '{}'", finding.member);
  return fmt::format("{}: {}{}: {}: {}\n", finding.aside ? "kept aside" : "noted", finding.file,
                     member, finding.code, finding.detail);
}

// The first of each code, and how many more there are.
void PrintFindings(const core::TreeReading& reading, std::size_t most, std::ostream& out) {
  std::map<std::string, std::size_t> seen;
  for (const core::Finding& finding : reading.findings) {
    if (++seen[finding.code] <= most) out << Line(finding);
  }
  for (const auto& [code, count] : seen) {
    if (count > most) out << fmt::format("... and {} more of {} (--all)\n", count - most, code);
  }
}

void PrintReading(const core::Reader& reader, const core::TreeReading& reading,
                  const ImportOptions& options, std::ostream& out) {
  PrintFindings(reading, options.all ? kAllRows : kFewRows, out);
  std::size_t unread = 0;
  std::string folders;
  for (const auto& [folder, count] : reading.unread) {
    unread += count;
    folders += fmt::format("{}{} {}", folders.empty() ? "" : ", ", folder, count);
  }
  if (unread > 0) {
    out << fmt::format("{} files are none that {} looks up: {}\n", unread, reader.title, folders);
  }
  for (const core::TreeTable& table : reading.tables) {
    out << fmt::format("{}: {} rows of {} files\n", table.family->name, table.rows, table.files);
  }
  out << fmt::format("{}: {} files; {} files and {} members kept aside\n", reader.title,
                     reading.files, reading.files_aside, reading.members_aside);
}

Json Report(const core::Reader& reader, const core::TreeReading& reading) {
  Json json = {{"reader", reader.name},
               {"files", reading.files},
               {"files_aside", reading.files_aside},
               {"members_aside", reading.members_aside},
               {"tables", Json::array()},
               {"unread", Json::object()},
               {"findings", Json::array()}};
  for (const core::TreeTable& table : reading.tables) {
    json["tables"].push_back(
        {{"family", table.family->name}, {"files", table.files}, {"rows", table.rows}});
  }
  for (const auto& [folder, count] : reading.unread) json["unread"][folder] = count;
  for (const core::Finding& it : reading.findings) {
    json["findings"].push_back({{"file", it.file},
                                {"member", it.member},
                                {"code", it.code},
                                {"detail", it.detail},
                                {"aside", it.aside}});
  }
  return json;
}

}  // namespace

int ImportReader(const Configuration& configuration, const ImportOptions& options, HubClient* hub,
                 const Pauses& pauses, Console& console) {
  const auto reader = configuration.readers.Named(options.reader);
  if (!reader.ok()) return Fail(console, "import", reader.error());
  const auto tree = ReadReaderTree(**reader, options.folder);
  if (!tree.ok()) return Fail(console, "import", tree.error());
  core::TreeReading reading =
      core::ReadTree(**reader, configuration.targets, tree->entries, options.device);
  reading.files_aside += tree->unread.size();
  reading.findings.insert(reading.findings.end(), tree->unread.begin(), tree->unread.end());
  Json report = Report(**reader, reading);
  std::ostream silent(nullptr);
  std::ostream& out = options.json ? silent : console.out;
  PrintReading(**reader, reading, options, out);
  bool complete = reading.files_aside == 0 && reading.members_aside == 0;
  if (hub != nullptr && reading.tables.empty()) {
    return Fail(console, "import",
                {"nothing_to_import",
                 fmt::format("no file of {} holds a row that can be taken", options.folder)});
  }
  if (hub != nullptr) {
    auto archive = PackTables(reading, options);
    if (!archive.ok()) return Fail(console, "import", archive.error());
    ImportOptions named = options;
    if (named.source.empty()) named.source = (*reader)->source_name;
    const auto receipt = SendImport(named, *std::move(archive), *hub, pauses);
    if (!receipt.ok()) return Fail(console, "import", receipt.error());
    if (!PrintImport(*receipt, named, out)) complete = false;
    report["receipt"] = *receipt;
  }
  if (options.json) {
    console.out << report.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  }
  return complete ? kGood : kFinding;
}

}  // namespace tunehub::agent
