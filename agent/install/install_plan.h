// What an install would do to a tree, and what the tree would lose by it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/aiter/aiter_tree.h"
#include "agent/install/installer.h"
#include "core/builds/manifest.h"
#include "core/family/targets.h"
#include "core/row/target.h"

namespace tunehub::agent {

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
