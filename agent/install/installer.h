// Carries out an install, and takes it back, so that a crash between any two steps can be taken
// back too: the journal is on disk before the first step, and every step can be repeated.
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

// What an install does to a configs folder, written down before it is done.
//
//   aiter/configs/.tunehub-backup/journal.json    an install is under way
//   aiter/configs/.tunehub-backup/manifest.json   an install is complete; the same content
//   aiter/configs/.tunehub-backup/original/...    the files as they were
//   aiter/configs/.tunehub-backup/staged/...      the hub's tables, not yet in place
enum class InstallKind {
  kReplace,     // a default file gets the hub's bytes
  kCreate,      // a default file that the tree does not have
  kMoveAside,   // a model file, whose rows the default file now has
  kMakeFolder,  // for files that follow
};

struct InstallAction {
  InstallKind kind = InstallKind::kReplace;
  std::string file;    // or folder, inside the configs folder
  std::string before;  // SHA-256 of its bytes; "" for kCreate and kMakeFolder
  std::string after;   // "" for kMoveAside and kMakeFolder
};

// What the hub said of the tables that it gave; "": nothing, or what is no such number.
struct ServedState {
  std::string revision, pin;  // a number; the number with its token
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
  // `after_step` is called after each durable step (tests crash there).
  explicit Installer(const std::filesystem::path& configs, std::function<void()> after_step = {})
      : paths_(configs), after_step_(std::move(after_step)) {}

  // Keeps other installers off this folder for as long as it is held. Errors: busy.
  core::Result<core::Fd> Lock() const;

  // Takes back an install that did not finish. True: there was one. Errors: changed_meanwhile
  // (somebody wrote to a file after the crash; `force` gives that up).
  core::Result<bool> Recover(bool force) const;

  // The complete install in place, if any.
  core::Result<std::optional<InstallJournal>> Installed() const;

  // Files that are no longer what the install made of them, so that taking it back loses something.
  std::vector<std::string> Changed(const InstallJournal& journal) const;

  // Writes the tables beside what is there, another install too. `tables` has the bytes of each
  // kReplace and kCreate.
  core::Status Stage(const InstallJournal& journal,
                     const std::map<std::string, std::string>& tables) const;

  // Puts what was staged in place. Errors: orphan_backup (originals without the manifest that says
  // whose they are).
  core::Status Apply(const InstallJournal& journal) const;

  // Every file as it was, byte for byte; .tunehub-backup goes, or all of it but what was staged.
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

// SHA-256 of a file, hex; "" where there is none.
std::string FileSha256(const std::filesystem::path& path);

// A row of the tree whose key none of the hub's tables has, or a file that cannot be compared.
struct Loss {
  std::string family;
  std::string file;
  std::size_t line = 0;  // 0: the whole file
  std::string what;      // the row's key, or why the file cannot be read
};

struct FamilyPlan {
  const core::Family* family = nullptr;
  std::size_t rows = 0;         // the hub's
  std::size_t moved_files = 0;  // model files that go aside
};

struct InstallPlan {
  std::vector<FamilyPlan> families;  // those for which the hub has a table
  std::size_t unlisted_tables = 0;   // of the hub's, that no family describes
  std::vector<InstallAction> actions;
  std::vector<Loss> losses;
  std::size_t malformed_rows = 0;     // rows of the tree that no table may have
  std::size_t other_target_rows = 0;  // rows of the tree for targets that were not asked for
  std::size_t unbuilt_rows = 0;       // rows of the tree that name a kernel which it lacks
  std::size_t unmeasured_rows = 0;    // rows of the tree without a time, where none were asked for
};

// The tree's tables as they were before the install that `installed` describes (null: none).
std::map<std::string, std::filesystem::path> OriginalTables(const InstallPaths& paths,
                                                            const InstallJournal* installed);

// Which rows of the tree may go.
struct MayGo {
  std::string_view gpu_archs = {};  // AITER's GPU_ARCHS list: those of other targets. "": none
  std::optional<core::Target> native = {};   // in place of the list: those of others than this
  const core::Manifest* manifest = nullptr;  // those that it says the tree cannot run; null: none
  bool unmeasured = false;
};

// Errors: bad_bundle (a table that is none of its family, or neither a family's nor
// one that a hub carries).
core::Result<InstallPlan> PlanInstall(const core::Families& families, const core::Targets& targets,
                                      const std::map<std::string, std::filesystem::path>& tree,
                                      const std::map<std::string, std::string>& tables,
                                      const MayGo& may_go);

}  // namespace tunehub::agent
