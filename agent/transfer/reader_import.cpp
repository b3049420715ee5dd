#include <fmt/core.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/aiter/aiter_tree.h"
#include "agent/base/command.h"
#include "agent/base/provenance.h"
#include "agent/base/terminal.h"
#include "agent/transfer/commands.h"
#include "core/base/archive.h"
#include "core/base/rfc3339.h"
#include "core/readers/tree_reader.h"

namespace tunehub::agent {
namespace {

using Json = nlohmann::ordered_json;

std::string Line(const core::Finding& finding) {
  const std::string member = finding.member.empty() ? "" : fmt::format(" '{}'", finding.member);
  return fmt::format("{}: {}{}: {}: {}\n", finding.aside ? "left out" : "noted", finding.file,
                     member, finding.code, finding.detail);
}

// Prints the first findings of each code, and the number of the other findings of this code.
void PrintFindings(const core::TreeReading& reading, std::size_t most, std::ostream& out) {
  std::map<std::string, std::size_t> seen;
  for (const core::Finding& finding : reading.findings) {
    if (++seen[finding.code] <= most) out << Line(finding);
  }
  for (const auto& [code, count] : seen) {
    if (count > most) out << fmt::format("... and {} more of {} (--all)\n", count - most, code);
  }
}

// With `all` prints every finding, not only the first of each code.
void PrintReading(const core::Reader& reader, const core::TreeReading& reading, bool all,
                  std::ostream& out) {
  PrintFindings(reading, all ? kAllRows : kFewRows, out);
  std::size_t unread = 0;
  std::string folders;
  for (const auto& [folder, count] : reading.unread) {
    unread += count;
    folders += fmt::format("{}{} {}", folders.empty() ? "" : ", ", folder, count);
  }
  if (unread > 0) {
    out << fmt::format("{} files have names that {} never looks up: {}\n", unread, reader.title,
                       folders);
  }
  for (const auto& [layout, count] : reading.layouts) {
    out << fmt::format("layout {}: {} files\n", layout, count);
  }
  for (const core::TreeTable& table : reading.tables) {
    out << fmt::format("{}: {} rows of {} files\n", table.family->name, table.rows, table.files);
  }
  out << fmt::format("{}: {} files; {} files and {} members left out\n", reader.title,
                     reading.files, reading.files_aside, reading.members_aside);
}

Json ReportOf(const core::Reader& reader, const core::TreeReading& reading) {
  Json json = {{"reader", reader.name},
               {"files", reading.files},
               {"files_aside", reading.files_aside},
               {"members_aside", reading.members_aside},
               {"tables", Json::array()},
               {"unread", Json::object()},
               {"layouts", reading.layouts},
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

// The archive's entry, beside the tables, that says how the files were made.
constexpr char kRunFile[] = "run.json";

// The hub makes a run from the entry `run.json`. Without the entry, the hub makes a run without
// provenance.
core::Result<std::string> RunText(const ImportOptions& options) {
  if (options.new_run.empty()) return std::string();
  const auto run = ProvenanceOf(options.new_run, core::UtcText(std::chrono::system_clock::now()));
  if (!run.ok()) return run.error();
  return run->dump();
}

std::vector<core::TarFile> TarOf(const core::TreeReading& reading, const std::string& run) {
  std::vector<core::TarFile> tar;
  if (!run.empty()) tar.push_back({kRunFile, run});
  for (const core::TreeTable& table : reading.tables) {
    tar.push_back({table.family->file, table.csv});
  }
  return tar;
}

}  // namespace

int ImportReader(const Configuration& configuration, const ImportOptions& options, HubClient* hub,
                 const Pauses& pauses, Console& console) {
  const auto reader = configuration.readers.Named(options.reader);
  if (!reader.ok()) return Fail(console, "import", reader.error());
  const auto tree = ReadReaderTree(**reader, options.folder);
  if (!tree.ok()) return Fail(console, "import", tree.error());
  const auto run = RunText(options);
  if (!run.ok()) return Fail(console, "import", run.error());
  ImportOptions named = options;
  if (named.source.empty()) named.source = (*reader)->source_name;
  core::TreeReading reading =
      core::ReadTree(**reader, configuration.targets, tree->entries, options.device);
  reading.files_aside += tree->unread.size();
  reading.findings.insert(reading.findings.end(), tree->unread.begin(), tree->unread.end());
  Json report = ReportOf(**reader, reading);
  bool complete = reading.files_aside == 0 && reading.members_aside == 0;
  // Prints before it sends, so that the findings are shown even if sending fails.
  if (!options.json) PrintReading(**reader, reading, options.all, console.out);
  if (hub != nullptr) {
    if (reading.tables.empty()) {
      return Fail(console, "import",
                  {"nothing_to_import",
                   fmt::format("no file in {} has a row that can be imported", options.folder)});
    }
    const auto receipt = PostImport(named, TarOf(reading, *run), *hub, pauses);
    if (!receipt.ok()) return Fail(console, "import", receipt.error());
    std::ostream silent(nullptr);
    if (!PrintImport(*receipt, named, options.json ? silent : console.out)) complete = false;
    report["receipt"] = *receipt;
  }
  if (options.json) {
    console.out << report.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  }
  return complete ? kGood : kFinding;
}

}  // namespace tunehub::agent
