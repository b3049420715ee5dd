#include <algorithm>
#include <filesystem>
#include <optional>

#include "agent/base/command.h"
#include "agent/tables/commands.h"
#include "agent/tables/contribution.h"
#include "core/base/file.h"
#include "core/table/detect.h"

namespace tunehub::agent {
namespace {

void AddFile(std::vector<FamilyFiles>& groups, const core::Family* family, TreeFile file) {
  auto group = std::find_if(groups.begin(), groups.end(),
                            [&](const FamilyFiles& g) { return g.family == family; });
  if (group == groups.end()) group = groups.insert(groups.end(), FamilyFiles{family, {}});
  group->files.push_back(std::move(file));
}

struct Misnamed {
  const core::Family* family = nullptr;
  std::string file;
};

struct Checked {
  std::vector<FamilyFiles> groups;
  std::vector<Misnamed> misnamed;
  std::vector<UnreadTable> unread;
};

// A file is misnamed if its header identifies a family and its name does not.
void AddUnread(const core::Families& families, const TreeFile& file, Checked& checked) {
  const std::string path = file.path.lexically_normal().string();
  const auto bytes = core::FileBytes::Read(file.path);
  const bool silent =
      core::WhyForeign(families, path).empty() && core::FamilyOfFileName(families, path) == nullptr;
  if (silent && bytes.ok()) {
    const auto family = core::DetectFamily(families, "", bytes->view());
    if (family.ok()) return checked.misnamed.push_back({*family, path});
  }
  checked.unread.push_back({path, WhyUnread(families, file)});
}

core::Status AddTree(const Configuration& configuration, const std::string& path,
                     Checked& checked) {
  auto tree = ReadTableFolder(configuration.families, path);
  if (!tree.ok()) return tree.error();
  for (FamilyFiles& family : tree->families) {
    for (TreeFile& file : family.files) {
      file.name = file.path.lexically_normal().string();
      AddFile(checked.groups, family.family, std::move(file));
    }
  }
  for (const TreeFile& file : tree->unread) AddUnread(configuration.families, file, checked);
  return core::Ok();
}

core::Status AddNamedTable(const Configuration& configuration, const CheckOptions& options,
                           const std::string& path, Checked& checked) {
  auto table = ReadTables(configuration.families, options.family, {path});
  if (!table.ok()) return table.error();
  AddFile(checked.groups, table->front().family, std::move(table->front().files.front()));
  return core::Ok();
}

FamilyFindings& FindingsOf(const core::Family* family, std::vector<FamilyFindings>& all) {
  auto found = std::ranges::find(all, family, &FamilyFindings::family);
  if (found == all.end()) {
    found = all.emplace(all.end());
    found->family = family;
  }
  return *found;
}

core::Result<core::Manifest> ReadManifest(const std::string& file) {
  auto bytes = core::FileBytes::Read(file);
  if (!bytes.ok()) return bytes.error();
  std::vector<core::RowIssue> issues;
  auto manifest = core::ParseManifest(bytes->view(), issues);
  if (manifest.ok()) return manifest;
  return manifest.error().In(file);
}

int CheckUpstream(const Configuration& configuration, const CheckOptions& options,
                  Console& console) {
  bool known = true;
  for (const std::string& path : options.paths) {
    const auto drift = DriftOf(configuration, path);
    if (!drift.ok()) return Fail(console, "check", drift.error());
    if (options.json) {
      PrintDriftJson(*drift, console.out);
    } else {
      PrintDriftText(*drift, console.out);
    }
    known = known && drift->empty();
  }
  return known ? kGood : kFinding;
}

}  // namespace

int Check(const Configuration& configuration, const CheckOptions& options, Console& console) {
  if (options.upstream) return CheckUpstream(configuration, options, console);
  Checked checked;
  for (const std::string& path : options.paths) {
    std::error_code error;
    const core::Status status = std::filesystem::is_directory(path, error)
                                    ? AddTree(configuration, path, checked)
                                    : AddNamedTable(configuration, options, path, checked);
    if (!status.ok()) return Fail(console, "check", status.error());
  }
  std::optional<core::Manifest> build;
  if (!options.build.empty()) {
    auto manifest = ReadManifest(options.build);
    if (!manifest.ok()) return Fail(console, "check", manifest.error());
    build = *std::move(manifest);
  }
  const CheckRules rules{build ? &*build : nullptr, options.strict};
  std::vector<FamilyFindings> all;
  for (const FamilyFiles& group : checked.groups) {
    all.push_back(CheckFamily(group, configuration.targets, rules));
  }
  for (const Misnamed& it : checked.misnamed) AddMisnamed(FindingsOf(it.family, all), it.file);
  if (options.json) {
    PrintCheckJson(console.out, all, checked.unread);
  } else {
    PrintCheckText(console.out, all, checked.unread, options.all ? kAllRows : kFewRows);
  }
  const bool clean = std::all_of(all.begin(), all.end(),
                                 [](const FamilyFindings& findings) { return findings.clean(); });
  return clean ? kGood : kFinding;
}

int RunCheck(int argc, char** argv, Console& console) {
  CheckOptions options;
  std::string configs;
  cli::CommandLine line("Checks tuned tables as AITER would read them.", "tunehub-agent check");
  line.Add("PATH", options.paths, "an AITER checkout, its aiter/configs, or tuned tables")
      .Required();
  line.Add("--family", options.family,
           "the family of single tables; default: found from each table");
  line.Add("--build", options.build,
           "the output of `tunehub-agent manifest`: also report rows that this build cannot run");
  line.Add("--configs", configs, "folder with families/ and targets.json");
  line.AddFlag("--strict", options.strict,
               "also fail if AITER's own test of its tables fails: times that are not above 0, "
               "rows that differ only in gfx");
  line.AddFlag("--upstream", options.upstream,
               "instead of a check, list the parts of these trees that this version of tunehub "
               "does not know: tables, columns, libtypes, kernels, log lines and Triton configs");
  line.AddFlag("--all", options.all, "list every row, not only the first of each kind");
  line.AddFlag("--json", options.json, "report as JSON, with every row");
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  auto configuration = LoadConfiguration(configs);
  if (!configuration.ok()) return Fail(console, "check", configuration.error());
  return Check(*configuration, options, console);
}

}  // namespace tunehub::agent
