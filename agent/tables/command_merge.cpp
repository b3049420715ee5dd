#include <future>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/base/command.h"
#include "agent/base/terminal.h"
#include "agent/tables/commands.h"
#include "agent/tables/contribution.h"
#include "agent/tables/input_family.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/table/merge.h"

namespace tunehub::agent {
namespace {

struct Inputs {
  std::vector<std::string> names;
  std::vector<core::FileBytes> files;
  std::vector<std::string> missing;
};

std::vector<std::string> SplitLists(const std::vector<std::string>& lists) {
  std::vector<std::string> paths;
  for (const std::string& list : lists) {
    for (const std::string_view path : core::SplitAt(list, ":")) {
      if (!path.empty()) paths.emplace_back(path);
    }
  }
  return paths;
}

// Like AITER, skips files that do not exist, unless none exists.
core::Result<Inputs> ReadInputs(const std::vector<std::string>& lists) {
  Inputs inputs;
  for (std::string& path : SplitLists(lists)) {
    auto file = core::FileBytes::Read(path);
    if (!file.ok() && file.error().code != "file_not_found") return file.error();
    if (!file.ok()) {
      inputs.missing.push_back(std::move(path));
      continue;
    }
    inputs.names.push_back(std::move(path));
    inputs.files.push_back(*std::move(file));
  }
  if (inputs.files.empty())
    return core::Error{"file_not_found", core::Joined(inputs.missing) + ": no such file"};
  return inputs;
}

struct Remarks {
  std::vector<Remark> rejected, quarantined, warnings;
};

Remarks Collect(const Inputs& inputs, const core::Merged& merged) {
  Remarks remarks;
  for (const core::FileIssues& file : merged.issues) {
    const std::string& name = inputs.names[file.file];
    for (const core::RowIssue& row : file.rejected) remarks.rejected.push_back({name, row});
    for (const core::RowIssue& row : file.quarantined) remarks.quarantined.push_back({name, row});
    for (const core::RowIssue& row : file.warnings) remarks.warnings.push_back({name, row});
  }
  return remarks;
}

void PrintText(std::ostream& out, const core::Family& family, const Inputs& inputs,
               const core::Merged& merged, const Remarks& remarks) {
  for (const core::Duplicate& duplicate : merged.duplicates) {
    PrintDuplicate(out, family, inputs.names, duplicate);
  }
  PrintByCode(out, "rejected", remarks.rejected, kAllRows);
  PrintByCode(out, "quarantined", remarks.quarantined, kAllRows);
  PrintByCode(out, "warning", remarks.warnings, kAllRows);
  out << family.name << ": " << inputs.names.size() << " files, " << merged.rows_read
      << " rows read, " << merged.rows_written << " written";
  if (!merged.duplicates.empty()) {
    out << ", " << merged.duplicates.size() << " duplicate keys (AITER would refuse to start)";
  }
  if (!remarks.rejected.empty()) out << ", " << remarks.rejected.size() << " rejected";
  if (!remarks.quarantined.empty()) out << ", " << remarks.quarantined.size() << " quarantined";
  out << '\n';
}

void PrintJson(std::ostream& out, const core::Family& family, const Inputs& inputs,
               const core::Merged& merged, const Remarks& remarks) {
  nlohmann::ordered_json duplicates = nlohmann::ordered_json::array();
  for (const core::Duplicate& duplicate : merged.duplicates) {
    duplicates.push_back(ToJson(family, inputs.names, duplicate));
  }
  const nlohmann::ordered_json report = {{"family", family.name},
                                         {"files", inputs.names},
                                         {"missing_files", inputs.missing},
                                         {"rows_read", merged.rows_read},
                                         {"rows_written", merged.rows_written},
                                         {"duplicates", duplicates},
                                         {"rejected", ToJson(remarks.rejected)},
                                         {"quarantined", ToJson(remarks.quarantined)},
                                         {"warnings", ToJson(remarks.warnings)}};
  out << report.dump(2) << '\n';
}

int MergeInputs(const Configuration& configuration, const core::Result<Inputs>& inputs,
                const MergeArguments& options, Console& console) {
  if (!inputs.ok()) return Fail(console, "merge", inputs.error());
  for (const std::string& path : inputs->missing) {
    console.err << "tunehub-agent merge: " << path << " does not exist; AITER skips such a file\n";
  }
  std::vector<core::SourceFile> sources;
  for (std::size_t i = 0; i < inputs->files.size(); ++i) {
    sources.push_back({inputs->names[i], inputs->files[i].view()});
  }
  auto family = CommonFamily(configuration.families, options.family, sources);
  if (!family.ok()) return Fail(console, "merge", family.error());
  auto merged = core::MergeTables(**family, configuration.targets, sources);
  if (!merged.ok()) return Fail(console, "merge", merged.error());
  const core::Status written = core::Replace(options.output, merged->Csv());
  if (!written.ok()) return Fail(console, "merge", written.error());
  const Remarks remarks = Collect(*inputs, *merged);
  (options.json ? PrintJson : PrintText)(console.out, **family, *inputs, *merged, remarks);
  const bool clean =
      merged->duplicates.empty() && remarks.rejected.empty() && remarks.quarantined.empty();
  return clean ? kGood : kFinding;
}

}  // namespace

int Merge(const Configuration& configuration, const MergeArguments& options, Console& console) {
  return MergeInputs(configuration, ReadInputs(options.inputs), options, console);
}

int RunMerge(int argc, char** argv, Console& console) {
  MergeArguments options;
  std::string configs;
  cli::CommandLine line("Merges tuned tables of one family, as AITER does at its start.",
                        "tunehub-agent merge");
  line.Add("FILE", options.inputs, "tuned tables; each may be a list A.csv:B.csv").Required();
  line.Add("-o,--output", options.output, "the merged table").Required();
  line.Add("--family", options.family, "the family; default: found from the files");
  line.Add("--configs", configs, "folder with families/ and targets.json");
  line.AddFlag("--json", options.json, "report as JSON");
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  // Loading the configuration takes as long as reading the inputs, so they run together.
  auto inputs = std::async(std::launch::async, ReadInputs, options.inputs);
  auto configuration = LoadConfiguration(configs);
  if (!configuration.ok()) return Fail(console, "merge", configuration.error());
  return MergeInputs(*configuration, inputs.get(), options, console);
}

}  // namespace tunehub::agent
