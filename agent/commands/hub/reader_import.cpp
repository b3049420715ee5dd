#include "agent/commands/hub/reader_import.h"

#include <fmt/core.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/base/command_line.h"
#include "agent/base/provenance.h"
#include "agent/commands/hub/import_request.h"
#include "agent/commands/hub/print_reading.h"
#include "agent/readers/reader_tree.h"
#include "core/base/rfc3339.h"
#include "core/system/tar.h"

namespace tunehub::agent {
namespace {

using Json = nlohmann::ordered_json;

// Beside the tables: what is known of how they were made.
constexpr char kRunFile[] = "run.json";

// What the hub makes of the entry `run.json` is a run; without one it makes up its own.
core::Result<std::string> RunText(const ImportOptions& options) {
  if (options.new_run.empty()) return std::string();
  const auto run = ProvenanceOf(options.new_run, core::UtcText(std::chrono::system_clock::now()));
  if (!run.ok()) return run.error();
  return run->dump();
}

// An engine's files, and what they are to be read by.
struct Files {
  const Configuration& configuration;
  const core::Reader& reader;
  const ImportOptions& options;
  const ReaderTree& tree;
};

core::TreeReading Parse(const Files& files) {
  core::TreeReading reading = core::ReadTree(files.reader, files.configuration.targets,
                                             files.tree.entries, files.options.device);
  const auto& unread = files.tree.unread;
  reading.files_aside += unread.size();
  reading.findings.insert(reading.findings.end(), unread.begin(), unread.end());
  return reading;
}

std::vector<core::TarFile> TarOf(const core::TreeReading& reading, const std::string& run) {
  std::vector<core::TarFile> tar;
  if (!run.empty()) tar.push_back({kRunFile, run});
  for (const core::TreeTable& table : reading.tables) {
    tar.push_back({table.family->file, table.csv});
  }
  return tar;
}

// One import: what was read is said before anything is sent.
class ReaderImport {
 public:
  ReaderImport(const Files& files, Console& console) : files_(files), console_(console) {}

  int Run(const std::string& run, HubClient* hub, const Pauses& pauses) {
    const core::TreeReading reading = Parse(files_);
    Say(reading);
    if (hub == nullptr) return End(nullptr);
    if (reading.tables.empty()) {
      return Fail(console_, "import",
                  {"nothing_to_import", fmt::format("no file of {} holds a row that can be taken",
                                                    files_.options.folder)});
    }
    const auto receipt = PostImport(files_.options, TarOf(reading, run), *hub, pauses);
    if (!receipt.ok()) return Fail(console_, "import", receipt.error());
    return End(&*receipt);
  }

 private:
  void Say(const core::TreeReading& reading) {
    report_ = ReportOf(files_.reader, reading);
    complete_ = reading.files_aside == 0 && reading.members_aside == 0;
    if (!files_.options.json)
      PrintReading(files_.reader, reading, files_.options.all, console_.out);
  }

  int End(const nlohmann::json* receipt) {
    if (receipt != nullptr) {
      std::ostream silent(nullptr);
      std::ostream& out = files_.options.json ? silent : console_.out;
      if (!PrintImport(*receipt, files_.options, out)) complete_ = false;
      report_["receipt"] = *receipt;
    }
    if (files_.options.json) {
      console_.out << report_.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
    }
    return complete_ ? kGood : kFinding;
  }

  const Files& files_;
  Console& console_;
  Json report_;
  bool complete_ = true;
};

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
  const Files files{configuration, **reader, named, *tree};
  return ReaderImport(files, console).Run(*run, hub, pauses);
}

}  // namespace tunehub::agent
