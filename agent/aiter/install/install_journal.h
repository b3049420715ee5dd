// What an install does to a configs folder, written down before it is done.
//
//   aiter/configs/.tunehub-backup/journal.json    an install is under way
//   aiter/configs/.tunehub-backup/manifest.json   an install is complete; the same content
//   aiter/configs/.tunehub-backup/original/...    the files as they were
//   aiter/configs/.tunehub-backup/staged/...      the hub's tables, not yet in place
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace tunehub::agent {

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

std::string RenderJournal(const InstallJournal& journal);

// Nothing: there is no such file. Errors: bad_journal, file_unreadable.
core::Result<std::optional<InstallJournal>> LoadJournal(const std::filesystem::path& path);

}  // namespace tunehub::agent
