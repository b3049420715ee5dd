// A tree that looks like the AITER that is installed and may be written to: links to everything but
// aiter/configs, which is a copy. AITER takes its root from where its own files seem to lie, so its
// scripts write there what they write beside themselves (profile_fmoe.csv, tuned tables).
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "core/result.h"

namespace tunehub::agent::tuners {

// The folder that holds the package aiter and its csrc/: `given`, else $AITER_ROOT_DIR, else where
// `python` would import aiter from. Errors: no_aiter, with where it was looked for.
core::Result<std::filesystem::path> FindAiter(const std::filesystem::path& given,
                                              const std::string& python);

// Makes it at `tree`, which must not exist. Errors: file_unwritable, file_unreadable.
core::Status MakePrivateTree(const std::filesystem::path& aiter, const std::filesystem::path& tree);

// Where AITER's script lies in a tree; empty where this AITER has none. Wheels keep csrc/ in
// aiter_meta/.
std::filesystem::path FindScript(const std::filesystem::path& tree, const std::string& script);

// What makes Python and AITER write into the tree and its neighbours only: PYTHONPATH,
// PYTHONPYCACHEPREFIX, AITER_JIT_DIR.
std::map<std::string, std::string> PrivateEnvironment(const std::filesystem::path& tree);

}  // namespace tunehub::agent::tuners
