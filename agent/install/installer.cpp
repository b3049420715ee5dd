#include "agent/install/installer.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/base/hash.h"
#include "core/base/read_json.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFormat = "tunehub-install-1";
constexpr std::string_view kKinds[] = {"replace", "create", "move_aside",
                                       "make_folder"};  // by InstallKind

core::Error Bad(const std::filesystem::path& path, const std::string& reason) {
  return {"bad_journal", path.string() + ": " + reason};
}

std::string RenderJournal(const InstallJournal& journal) {
  nlohmann::ordered_json actions = nlohmann::ordered_json::array();
  for (const InstallAction& action : journal.actions) {
    actions.push_back({{"action", kKinds[static_cast<std::size_t>(action.kind)]},
                       {"file", action.file},
                       {"before", action.before},
                       {"after", action.after}});
  }
  const nlohmann::ordered_json json = {{"format", kFormat},
                                       {"hub", journal.hub},
                                       {"revision", journal.served.revision},
                                       {"pin", journal.served.pin},
                                       {"key", journal.served.key},
                                       {"signed_pin", journal.served.signed_pin},
                                       {"created", journal.created},
                                       {"actions", actions}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

// Empty if there is no such file. Errors: bad_journal, file_unreadable.
core::Result<std::optional<InstallJournal>> LoadJournal(const std::filesystem::path& path) {
  auto bytes = core::FileBytes::Read(path);
  if (!bytes.ok() && bytes.error().code == "file_not_found") return std::optional<InstallJournal>();
  if (!bytes.ok()) return bytes.error();
  try {
    const auto json = core::SureJson(bytes->view());
    if (json.at("format") != kFormat) return Bad(path, fmt::format("expected a {}", kFormat));
    InstallJournal journal{
        json.at("hub").get<std::string>(),
        {json.at("revision").get<std::string>(), json.at("pin").get<std::string>(),
         json.value("key", ""), json.value("signed_pin", "")},
        json.at("created").get<std::string>(),
        {}};
    for (const auto& item : json.at("actions")) {
      const auto* kind =
          std::find(std::begin(kKinds), std::end(kKinds), item.at("action").get<std::string>());
      InstallAction action{static_cast<InstallKind>(kind - std::begin(kKinds)),
                           item.at("file").get<std::string>(), item.at("before").get<std::string>(),
                           item.at("after").get<std::string>()};
      if (kind == std::end(kKinds)) return Bad(path, "unknown action for " + action.file);
      if (!core::IsInnerPath(action.file)) return Bad(path, action.file + " is outside the folder");
      journal.actions.push_back(std::move(action));
    }
    return std::optional<InstallJournal>(std::move(journal));
  } catch (const nlohmann::json::exception& error) {
    return Bad(path, error.what());
  }
}

bool Exists(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

// Removes `folder` and the folders below it, except folders with files.
void RemoveEmptyFolders(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->is_directory() && !it->is_symlink()) RemoveEmptyFolders(it->path());
  }
  fs::remove(folder, error);
}

// The hub chose the file's name, so a link could lead the install out of `configs`.
core::Status CheckNoLink(const fs::path& configs, const std::string& name) {
  for (fs::path at = fs::path(name).parent_path(); !at.empty(); at = at.parent_path()) {
    std::error_code error;
    if (!fs::is_symlink(configs / at, error)) continue;
    return core::Error{"file_unwritable", (configs / at).string() +
                                              ": is a link; install does not write through links"};
  }
  return core::Ok();
}

}  // namespace

std::string FileSha256(const fs::path& path) {
  const auto bytes = core::FileBytes::Read(path);
  return bytes.ok() ? core::Sha256Hex(bytes->view()) : "";
}

core::Result<core::Fd> Installer::Lock() const {
  core::Fd fd(::open(paths_.configs.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.ok()) return core::Unwritable(paths_.configs, errno);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    return core::Error{"busy", paths_.configs.string() + ": another install is running"};
  }
  return fd;
}

core::Result<std::optional<InstallJournal>> Installer::Installed() const {
  return LoadJournal(paths_.manifest);
}

core::Result<bool> Installer::Recover(bool force) const {
  auto journal = LoadJournal(paths_.journal);
  if (!journal.ok()) return journal.error();
  std::error_code ignored;
  if (!journal->has_value()) {
    // These files remain from an install that ended before it wrote its journal, or from an undo
    // that ended after it removed the journal.
    fs::remove_all(paths_.staged, ignored);
    RemoveEmptyFolders(paths_.backup);
    return false;
  }
  const auto changed = Changed(**journal);
  if (!force && !changed.empty()) {
    return core::Error{"changed_meanwhile", (paths_.configs / changed[0]).string() +
                                                ": someone changed this file after an interrupted "
                                                "install; --force discards the change"};
  }
  if (core::Status status = Restore(**journal); !status.ok()) return status.error();
  return true;
}

std::vector<std::string> Installer::Changed(const InstallJournal& journal) const {
  std::vector<std::string> changed;
  for (const InstallAction& action : journal.actions) {
    const std::string now = FileSha256(paths_.configs / action.file);
    if (now != action.after && now != action.before) changed.push_back(action.file);
  }
  return changed;
}

core::Status Installer::MakeRoom(const InstallJournal& journal) const {
  if (auto made = core::MakeFolder(paths_.original); !made.ok()) return made;
  for (const InstallAction& action : journal.actions) {
    if (action.kind == InstallKind::kMakeFolder) continue;
    if (Exists(paths_.original / action.file)) {
      return core::Error{
          "orphan_backup",
          (paths_.original / action.file).string() +
              ": this backup of a table has no manifest.json; move it away, or back to its place"};
    }
    const auto original = core::FolderBelow(paths_.original, action.file);
    if (!original.ok()) return original.error();
  }
  return core::Ok();
}

core::Status Installer::Stage(const InstallJournal& journal,
                              const std::map<std::string, std::string>& tables) const {
  if (auto made = core::MakeFolder(paths_.staged); !made.ok()) return made;
  for (const InstallAction& action : journal.actions) {
    if (action.kind == InstallKind::kMakeFolder || action.kind == InstallKind::kMoveAside) continue;
    core::Status status = CheckNoLink(paths_.configs, action.file);
    if (status.ok()) {
      status = core::WriteBelow(paths_.staged, action.file, tables.at(action.file));
    }
    if (!status.ok()) return status;
  }
  const core::Fd staged(::open(paths_.staged.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return ::syncfs(staged.get()) == 0 ? core::Ok() : core::Unwritable(paths_.staged, errno);
}

core::Status Installer::Do(const InstallAction& action) const {
  const fs::path file = paths_.configs / action.file, original = paths_.original / action.file;
  if (action.kind == InstallKind::kMoveAside) return core::RenameDurably(file, original);
  if (action.kind == InstallKind::kMakeFolder) {
    const core::Status made = core::MakeFolder(file);
    return made.ok() ? core::SyncFolder(file.parent_path()) : made;
  }
  // Links the original file into the backup, then renames the new file over it, so that the file is
  // never missing.
  if (action.kind == InstallKind::kReplace) {
    if (::link(file.c_str(), original.c_str()) != 0) return core::Unwritable(original, errno);
    if (core::Status status = core::SyncFolder(original.parent_path()); !status.ok()) return status;
    Step();
  }
  return core::RenameDurably(paths_.staged / action.file, file);
}

core::Status Installer::Apply(const InstallJournal& journal) const {
  core::Status status = MakeRoom(journal);
  if (!status.ok()) return status;
  Step();
  if (status = core::WriteDurably(paths_.journal, RenderJournal(journal)); !status.ok()) {
    return status;
  }
  Step();
  for (const InstallAction& action : journal.actions) {
    if (status = Do(action); !status.ok()) return status;
    Step();
  }
  if (status = core::RenameDurably(paths_.journal, paths_.manifest); !status.ok()) return status;
  std::error_code error;
  fs::remove_all(paths_.staged, error);
  return core::Ok();
}

core::Status Installer::Undo(const InstallAction& action) const {
  const fs::path file = paths_.configs / action.file, original = paths_.original / action.file;
  if (action.kind == InstallKind::kMakeFolder) {
    std::error_code somebodys;  // set if there are files that somebody added
    if (Exists(file)) fs::remove(file, somebodys);
    return core::SyncFolder(file.parent_path());
  }
  if (Exists(original)) {
    if (core::Status status = core::RenameDurably(original, file); !status.ok()) return status;
    // rename(2) does nothing if both names link to one file.
    return core::RemoveDurably(original);
  }
  const bool ours = action.kind == InstallKind::kCreate && FileSha256(file) == action.after;
  return ours ? core::RemoveDurably(file) : core::Ok();
}

core::Status Installer::Restore(const InstallJournal& journal, bool keep_staged) const {
  for (auto action = journal.actions.rbegin(); action != journal.actions.rend(); ++action) {
    if (core::Status status = Undo(*action); !status.ok()) return status;
    Step();
  }
  for (const fs::path& path : {paths_.manifest, paths_.journal}) {
    if (core::Status status = core::RemoveDurably(path); !status.ok()) return status;
  }
  Step();
  std::error_code error;
  fs::remove_all(keep_staged ? paths_.original : paths_.backup, error);
  if (error) return core::Unwritable(paths_.backup, error);
  return core::SyncFolder(paths_.configs);
}

}  // namespace tunehub::agent
