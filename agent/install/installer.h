// Installs files. After a crash between any two steps, the agent can undo the install. The journal
// is on disk before the first step, and every step can be repeated.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/aiter/aiter_tree.h"
#include "core/base/file.h"
#include "core/base/result.h"
#include "core/builds/manifest.h"
#include "core/family/targets.h"
#include "core/row/target.h"

namespace tunehub::agent {

// The journal of the changes to a configs folder. The agent writes it before the first change.
//
//   aiter/configs/.tunehub-backup/journal.json    an install is under way
//   aiter/configs/.tunehub-backup/manifest.json   an install is complete; the same content
//   aiter/configs/.tunehub-backup/original/...    the original files
//   aiter/configs/.tunehub-backup/staged/...      the hub's tables, not yet in place
enum class InstallKind {
  kReplace,     // a default file of the tree
  kCreate,      // a default file that the tree lacks
  kMoveAside,   // a file in model_configs/, whose rows are now in the default file
  kMakeFolder,  // a folder for the files of later actions
};

struct InstallAction {
  InstallKind kind = InstallKind::kReplace;
  std::string file;    // a file or folder, inside the configs folder
  std::string before;  // SHA-256 of the file before; "" for kCreate and kMakeFolder
  std::string after;   // SHA-256 after; "" for kMoveAside and kMakeFolder
};

// The values of the hub's headers for the tables; "": absent or malformed.
struct ServedState {
  std::string revision, pin;  // "17", "17-0f3a..."
  std::string key = {};       // core::PublicKey::Text() of the signature's key; "": unsigned
  std::string signed_pin = {};
};

struct InstallJournal {
  std::string hub;
  ServedState served;
  std::string created;
  std::vector<InstallAction> actions;
};

struct InstallPaths {
  explicit InstallPaths(const std::filesystem::path& folder)
      : configs(folder),
        backup(folder / ".tunehub-backup"),
        original(backup / "original"),
        staged(backup / "staged"),
        journal(backup / "journal.json"),
        manifest(backup / "manifest.json") {}

  std::filesystem::path configs, backup, original, staged, journal, manifest;
};

class Installer {
 public:
  // The installer calls `after_step` after each step is on disk. Tests simulate crashes there.
  explicit Installer(const std::filesystem::path& configs, std::function<void()> after_step = {})
      : paths_(configs), after_step_(std::move(after_step)) {}

  // Locks out other installers while the result lives. Errors: busy.
  core::Result<core::Fd> Lock() const;

  // Undoes an interrupted install. True if there was one. Errors: changed_meanwhile (somebody
  // changed a file after the crash; `force` overwrites it).
  core::Result<bool> Recover(bool force) const;

  // Returns the journal of the complete install, if there is one.
  core::Result<std::optional<InstallJournal>> Installed() const;

  // Files that somebody changed since the install; an undo would lose these changes.
  std::vector<std::string> Changed(const InstallJournal& journal) const;

  // Writes the tables beside the folder's files. An older install may still be in place. `tables`
  // contains the bytes for each kReplace and kCreate.
  core::Status Stage(const InstallJournal& journal,
                     const std::map<std::string, std::string>& tables) const;

  // Puts staged files in place. Errors: orphan_backup (original files without a manifest).
  core::Status Apply(const InstallJournal& journal) const;

  // Restores every file byte for byte. Then removes .tunehub-backup, but with `keep_staged` not its
  // folder staged/.
  core::Status Restore(const InstallJournal& journal, bool keep_staged = false) const;

 private:
  core::Status MakeRoom(const InstallJournal& journal) const;
  core::Status Do(const InstallAction& action) const;
  core::Status Undo(const InstallAction& action) const;
  void Step() const {
    if (after_step_) after_step_();
  }

  InstallPaths paths_;
  std::function<void()> after_step_;
};

// SHA-256 of a file, hex; "" if there is none.
std::string FileSha256(const std::filesystem::path& path);

// A row that an install would lose because no table of the hub contains its shape key. Or a file
// that cannot be compared.
struct Loss {
  std::string family;
  std::string file;
  std::size_t line = 0;  // 0: the whole file
  std::string what;      // the row's shape key, or why the file cannot be read
};

struct FamilyPlan {
  const core::Family* family = nullptr;
  std::size_t rows = 0;         // rows of the hub's table
  std::size_t moved_files = 0;  // model files to move aside
};

struct InstallPlan {
  std::vector<FamilyPlan> families;  // families with a table of the hub
  std::size_t unlisted_tables = 0;   // the hub's tables that no family describes
  std::vector<InstallAction> actions;
  std::vector<Loss> losses;
  std::size_t malformed_rows = 0;     // rows of the tree that cannot be served
  std::size_t other_target_rows = 0;  // rows of the tree for targets that the options exclude
  std::size_t unbuilt_rows = 0;       // rows of the tree whose kernel the tree lacks
  std::size_t unmeasured_rows = 0;  // rows of the tree without a time, if the options exclude these
};

// The tree's tables as they were before the install `installed` (null: none).
std::map<std::string, std::filesystem::path> OriginalTables(const InstallPaths& paths,
                                                            const InstallJournal* installed);

// The rows of the tree that an install may drop.
struct MayGo {
  // AITER's GPU_ARCHS: drop rows of other targets; "": drop none
  std::string_view gpu_archs = {};
  std::optional<core::Target> native = {};  // instead of gpu_archs: drop rows of all other targets
  // drop rows that this build cannot run; null: drop none
  const core::Manifest* manifest = nullptr;
  bool unmeasured = false;
};

// Errors: bad_bundle (a table that does not belong to its family, or that no hub serves).
core::Result<InstallPlan> PlanInstall(const core::Families& families, const core::Targets& targets,
                                      const std::map<std::string, std::filesystem::path>& tree,
                                      const std::map<std::string, std::string>& tables,
                                      const MayGo& may_go);

}  // namespace tunehub::agent
