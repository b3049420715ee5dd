// Makes a writable copy of the installed AITER: links to its files, and a real copy of
// aiter/configs. AITER derives its root folder from the path of its own files. So its scripts write
// their files (profile_fmoe.csv, tuned tables) into this copy.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace tunehub::agent {

// Returns the last line that `python -c program` prints. Returns "" if the program fails, prints
// nothing or takes longer than a minute.
std::string AskPython(const std::string& python, const std::string& program);

// Returns the folder of the package aiter and its csrc/. The first of these that exists: `given`,
// $AITER_ROOT_DIR, $AITER_PATH, the folder from which `python` would import aiter. Errors:
// no_aiter, with the folders searched.
core::Result<std::filesystem::path> FindAiter(const std::filesystem::path& given,
                                              const std::string& python);

class PrivateTree {
 public:
  PrivateTree() = default;
  // Makes the tree at `work`/tree. Precondition: `work` exists. AITER compiles kernels into `jit`.
  // Errors: file_unwritable, file_unreadable.
  static core::Result<PrivateTree> Make(const std::filesystem::path& aiter,
                                        const std::filesystem::path& work,
                                        const std::filesystem::path& jit);
  PrivateTree(PrivateTree&& other) noexcept { *this = std::move(other); }
  PrivateTree& operator=(PrivateTree&& other) noexcept {
    std::swap(work_, other.work_);
    std::swap(aiter_, other.aiter_);
    std::swap(jit_, other.jit_);
    return *this;
  }
  PrivateTree(const PrivateTree&) = delete;
  PrivateTree& operator=(const PrivateTree&) = delete;
  ~PrivateTree();  // removes the tree, but not the compiled kernels

  std::filesystem::path path() const { return work_ / "tree"; }
  // the folder of the installed AITER
  const std::filesystem::path& aiter() const { return aiter_; }
  // Variables that make Python and AITER write only into the tree and beside it: PYTHONPATH,
  // PYTHONPYCACHEPREFIX, AITER_JIT_DIR.
  std::map<std::string, std::string> Environment() const;

 private:
  std::filesystem::path work_;  // empty: none
  std::filesystem::path aiter_, jit_;
};

// The path of AITER's script in a tree. Empty if this AITER lacks the script. Wheels contain csrc/
// in aiter_meta/.
std::filesystem::path FindScript(const std::filesystem::path& tree, const std::string& script);

// Returns versions of the packages of `python` as name=value for a run: pytorch, triton, aiter,
// rocm (of PyTorch's build). Leaves out missing packages. Does not import them, since an import may
// open a GPU.
std::vector<std::string> PythonToolchain(const std::string& python);

}  // namespace tunehub::agent
