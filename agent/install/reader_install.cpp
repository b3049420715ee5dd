#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "agent/base/command.h"
#include "agent/base/terminal.h"
#include "agent/hub/http_client.h"
#include "agent/hub/tree.h"
#include "agent/install/commands.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/read_json.h"
#include "core/base/result.h"
#include "core/readers/file_name.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

// True if the folder has files of the newer layouts and none of the layouts that they replace.
bool HasNewLayoutAlone(const core::Reader& reader, const core::ReaderStore& store,
                       const fs::path& folder) {
  bool has_new = false;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; it != end && !error;
       it.increment(error)) {
    std::string tail;
    const std::string name = it->path().lexically_relative(folder).generic_string();
    if (!core::IsOf(store, name, tail)) continue;
    const auto parsed = core::ParsePath(reader, store, tail);
    if (!parsed.ok()) continue;
    if (store.successors.contains(parsed->cells[store.layout])) return false;
    has_new = true;
  }
  return has_new;
}

core::Error WrongLayout(const std::string& file, const std::string& why) {
  return {"wrong_layout",
          fmt::format("{}: the engine's folder has only the nested layout, but {}", file, why)};
}

// Without DEFAULT.json, AITER raises an error for the operation.
bool HasDefault(const core::Reader& reader, const Tree& tree, const std::string& name,
                const fs::path& folder) {
  const auto parsed = core::ParsePath(reader, *tree.store, name);
  const auto fallback = core::DefaultOf(*tree.store, parsed->cells);
  std::error_code error;
  return fallback.ok() && (tree.files.contains(*fallback) || fs::exists(folder / *fallback, error));
}

// Renames files of an old layout if the engine's own folder (`folder`) has only newer layouts.
// Returns the number of renamed files. Errors: wrong_layout, with the file, in three cases. No rule
// gives the file's new name; the tree has a different file of that name; or the file's DEFAULT.json
// is missing.
core::Result<std::size_t> FitLayout(const core::Reader& reader, Tree& tree,
                                    const fs::path& folder) {
  // Stores without a layout column have only one layout.
  if (tree.store->layout == core::kNoColumn) return std::size_t{0};
  if (!HasNewLayoutAlone(reader, *tree.store, folder)) return std::size_t{0};
  std::map<std::string, std::string> moved;  // old path, by new path
  for (const auto& [name, bytes] : tree.files) {
    const auto next = core::SucceedingPath(reader, *tree.store, name);
    if (!next.ok()) return WrongLayout(name, next.error().detail);
    if (next->empty()) continue;
    const auto other = tree.files.find(*next);
    if (other != tree.files.end() && other->second != bytes) {
      return WrongLayout(
          name,
          fmt::format("'{}', the file's name in that layout, already exists with other content",
                      *next));
    }
    moved.emplace(*next, name);
  }
  for (const auto& [next, name] : moved) {
    auto file = tree.files.extract(name);
    tree.files.insert_or_assign(next, std::move(file.mapped()));
  }
  for (const auto& [next, name] : moved) {
    if (HasDefault(reader, tree, next, folder)) continue;
    return WrongLayout(name, fmt::format("'{}' would have no DEFAULT.json beside it, so "
                                         "AITER would raise an error",
                                         next));
  }
  return moved.size();
}

// The folder of SGLang's package in its checkout.
constexpr std::string_view kCheckout = "python";

// The changes to an engine's folder.
struct FilePlan {
  std::vector<InstallAction> actions;
  std::size_t replaced = 0, added = 0, same = 0;
  std::size_t moved = 0;  // files that were renamed from an older layout
  std::vector<Loss> losses;
};

struct FetchedTree {
  Tree tree;
  ServedState served;
  std::string asked = {};  // core::AskedText; "": the tree comes from a file
};

core::Result<FetchedTree> FetchTree(const core::Reader& reader, const InstallOptions& options,
                                    HubClient* hub, const Pauses& pauses) {
  FetchedTree fetched;
  if (hub == nullptr) {
    const auto bytes = core::FileBytes::Read(options.tree);
    if (!bytes.ok()) return bytes.error();
    auto tree = ParseTree(bytes->view(), reader);
    if (!tree.ok()) return tree.error().In(options.tree);
    fetched.tree = *std::move(tree);
    return fetched;
  }
  auto parameters = AssignmentsOf(options.query);
  if (!parameters.ok()) return parameters.error();
  if (!options.family.empty()) parameters->emplace_back("family", options.family);
  if (!options.device.empty()) parameters->emplace_back("device", options.device);
  if (options.native) {
    parameters->emplace_back("gfx", options.native->gfx);
  } else if (!options.gpu_archs.empty()) {
    parameters->emplace_back("gpu_archs", options.gpu_archs);
  }
  const auto answer = Get(*hub, "/tree/" + options.reader, *parameters, options.retry, pauses);
  if (!answer.ok()) return answer.error();
  auto tree = ParseTree(answer->body, reader);
  if (!tree.ok()) return tree.error();
  return FetchedTree{*std::move(tree), ServedStateOf(*answer),
                     core::AskedText("/tree/" + options.reader, *parameters)};
}

// The files by their path in the engine's package. If the tree was made for the reader's variable,
// the package is the tree's first folder.
std::map<std::string, std::string> InPackage(const core::Reader& reader, Tree& tree) {
  if (!tree.store->variable || reader.variable_folder.empty()) return std::move(tree.files);
  std::map<std::string, std::string> files;
  for (auto& [name, bytes] : tree.files)
    files.emplace(name.substr(reader.variable_folder.size() + 1), std::move(bytes));
  return files;
}

// The folder of the engine's package that has these files: the first one that exists.
core::Result<fs::path> PackageFolder(const std::string& root,
                                     const std::vector<std::string>& packages) {
  std::error_code error;
  for (const std::string& package : packages) {
    for (const fs::path& base : {fs::path(root), fs::path(root) / kCheckout}) {
      if (fs::is_directory(base / package, error)) return base / package;
    }
  }
  return core::Error{
      "not_a_package",
      fmt::format(
          "{} contains none of {}: pass the folder that contains the engine, such as site-packages",
          root, fmt::join(packages, ", "))};
}

// Returns the file from before the current install. Empty if the file did not exist.
fs::path OriginalOf(const InstallSite& site, const std::string& name) {
  if (site.installed) {
    for (const InstallAction& action : site.installed->actions) {
      if (action.file != name) continue;
      return action.kind == InstallKind::kCreate ? fs::path() : site.paths.original / name;
    }
  }
  return site.paths.configs / name;
}

// Adds members of the engine's file that the hub's file lacks, because lookups would no longer find
// them.
void AddLosses(const Tree& tree, const std::string& name, std::string_view own,
               std::string_view served, std::vector<Loss>& losses) {
  const auto old_file = core::ReadJson(own), new_file = core::ReadJson(served);
  if (!old_file.is_object() || !new_file.is_object()) {
    losses.push_back({tree.store->family->name, name, 0,
                      "expected a JSON object, so this file cannot be compared"});
    return;
  }
  for (const auto& [member, value] : old_file.items()) {
    if (!new_file.contains(member)) losses.push_back({tree.store->family->name, name, 0, member});
  }
}

// True if the folder existed before the current install. A new install undoes the current one
// first.
bool WasThere(const InstallSite& site, const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(site.paths.configs / folder, error)) return false;
  return !site.installed ||
         std::ranges::none_of(site.installed->actions, [&](const InstallAction& action) {
           return action.kind == InstallKind::kMakeFolder && action.file == folder;
         });
}

void AddFolders(const InstallSite& site, const std::string& name, std::set<std::string>& made,
                std::vector<InstallAction>& actions) {
  fs::path folder;
  for (const fs::path& part : fs::path(name).parent_path()) {
    folder /= part;
    if (WasThere(site, folder) || !made.insert(folder.string()).second) continue;
    actions.push_back({InstallKind::kMakeFolder, folder.string(), "", ""});
  }
}

core::Result<FilePlan> PlanFiles(const InstallSite& site, const Tree& tree) {
  FilePlan plan;
  std::set<std::string> made;
  for (const auto& [name, bytes] : tree.files) {
    const fs::path original = OriginalOf(site, name);
    const auto own = core::FileBytes::Read(original);
    if (!own.ok() && own.error().code != "file_not_found") return own.error();
    if (own.ok() && own->view() == bytes) {
      ++plan.same;
      continue;
    }
    if (own.ok()) {
      AddLosses(tree, name, own->view(), bytes, plan.losses);
    } else {
      AddFolders(site, name, made, plan.actions);
    }
    ++(own.ok() ? plan.replaced : plan.added);
    plan.actions.push_back({own.ok() ? InstallKind::kReplace : InstallKind::kCreate, name,
                            own.ok() ? core::Sha256Hex(own->view()) : "", core::Sha256Hex(bytes)});
  }
  return plan;
}

int RefuseLosses(const FilePlan& plan, const InstallOptions& options, Console& console) {
  console.err << BeginError << "tunehub-agent install: the hub lacks " << plan.losses.size()
              << " members of these files, so nothing was changed. Import them first, or pass "
                 "--force to lose them:\n";
  PrintLosses(plan.losses, options.all ? kAllRows : kFewRows, console.err);
  console.err << EndError;
  return kFinding;
}

void ReportFiles(const InstallSite& site, const core::Reader& reader, const FetchedTree& fetched,
                 const FilePlan& plan, const InstallOptions& options, std::ostream& out) {
  if (options.json) {
    const nlohmann::ordered_json report = {{"installed", true},
                                           {"reader", options.reader},
                                           {"family", fetched.tree.store->family->name},
                                           {"folder", site.paths.configs.string()},
                                           {"revision", fetched.served.revision},
                                           {"pin", fetched.served.pin},
                                           {"replaced", plan.replaced},
                                           {"added", plan.added},
                                           {"same", plan.same},
                                           {"moved", plan.moved},
                                           {"lost", plan.losses.size()}};
    out << report.dump(2) << '\n';
    return;
  }
  out << site.paths.configs.string() << ": " << plan.replaced << " files replaced, " << plan.added
      << " added, " << plan.same << " unchanged (" << fetched.tree.store->family->name << " of "
      << options.reader;
  if (!fetched.served.revision.empty()) out << ", revision " << fetched.served.revision;
  out << ")\n";
  if (plan.moved > 0) {
    out << plan.moved
        << " files moved from the flat to the nested layout, because this folder has only the "
           "nested layout\n";
  }
  if (!fetched.tree.store->variable) return;
  out << reader.title << " reads them "
      << (reader.replaces_all ? "only when started without " : "after the files of ")
      << reader.variable << '\n';
}

}  // namespace

int InstallReader(const core::Reader& reader, const InstallOptions& options, HubClient* hub,
                  const Pauses& pauses, Console& console) {
  auto fetched = FetchTree(reader, options, hub, pauses);
  if (!fetched.ok()) return Fail(console, "install", fetched.error());
  fetched->tree.files = InPackage(reader, fetched->tree);
  const core::ReaderStore& store = *fetched->tree.store;
  // With another --family, --undo would search another folder.
  if (!options.family.empty() && store.family->name != options.family) {
    return Fail(console, "install",
                {"bad_tree", fmt::format("the tree's files are {}, not {}; pass --family {}",
                                         store.family->name, options.family, store.family->name)});
  }
  const auto folder = PackageFolder(options.folder, store.packages);
  if (!folder.ok()) return Fail(console, "install", folder.error());
  const auto moved = FitLayout(reader, fetched->tree, *folder);
  if (!moved.ok()) return Fail(console, "install", moved.error());
  const auto site = OpenSiteAt(*folder, options, console);
  if (!site.ok()) return Fail(console, "install", site.error());
  BodyOf body_of;
  if (hub != nullptr) {
    body_of = [&](const std::string& path) {
      return GetBody(*hub, path, {}, options.retry, pauses);
    };
  }
  const auto checked =
      CheckServed(*site, options, fetched->tree.sums, fetched->asked, body_of, fetched->served);
  if (!checked.ok()) return Fail(console, "install", checked.error());
  TellUnsigned(fetched->served, console);
  if (ChangedSince(*site, options, console)) return kFinding;
  auto plan = PlanFiles(*site, fetched->tree);
  if (!plan.ok()) return Fail(console, "install", plan.error());
  plan->moved = *moved;
  if (!plan->losses.empty() && !options.force) return RefuseLosses(*plan, options, console);
  const core::Status status =
      Carry(*site, options, plan->actions, fetched->tree.files, fetched->served);
  if (!status.ok()) return Fail(console, "install", status.error());
  ReportFiles(*site, reader, *fetched, *plan, options, console.out);
  return kGood;
}

core::Result<const core::ReaderStore*> StoreToInstall(const core::Readers& readers,
                                                      const InstallOptions& options) {
  const auto reader = readers.Named(options.reader);
  if (!reader.ok()) return reader.error();
  std::vector<std::string> names;
  const core::ReaderStore* found = nullptr;
  for (const core::ReaderStore& store : (*reader)->stores) {
    names.push_back(store.family->name);
    const bool meant =
        options.family.empty() ? !store.variable : store.family->name == options.family;
    if (meant && found == nullptr) found = &store;
  }
  if (found != nullptr && !found->packages.empty()) return found;
  if (options.family.empty() || found != nullptr) {
    return core::Error{"bad_options",
                       fmt::format("{} reads these files from a folder of your own: tunehub-agent "
                                   "pull --reader {} (its families: {})",
                                   options.reader, options.reader, fmt::join(names, ", "))};
  }
  return core::Error{"bad_options", fmt::format("--family {}: {} reads {}", options.family,
                                                options.reader, fmt::join(names, ", "))};
}

int UndoReaderInstall(const InstallOptions& options, const std::vector<std::string>& packages,
                      Console& console) {
  const auto folder = PackageFolder(options.folder, packages);
  if (!folder.ok()) return Fail(console, "install", folder.error());
  const auto site = OpenSiteAt(*folder, options, console);
  if (!site.ok()) return Fail(console, "install", site.error());
  return TakeBack(*site, options, console);
}

}  // namespace tunehub::agent
