// A tree that looks like the AITER that is installed and may be written to: links to everything but
// aiter/configs, which is a copy. AITER takes its root from where its own files seem to lie, so its
// scripts write there what they write beside themselves (profile_fmoe.csv, tuned tables).
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace tunehub::agent {

// The last line that `program` prints, run by `python -c`; empty where it fails, prints nothing or
// takes longer than a minute.
std::string AskPython(const std::string& python, const std::string& program);

// The folder that holds the package aiter and its csrc/: `given`, else $AITER_ROOT_DIR or
// $AITER_PATH, else where `python` would import aiter from. Errors: no_aiter, with where it was
// looked for.
core::Result<std::filesystem::path> FindAiter(const std::filesystem::path& given,
                                              const std::string& python);

class PrivateTree {
 public:
  PrivateTree() = default;
  // Makes it at `work`/tree; `work` exists. What AITER compiles goes to `jit`. Errors:
  // file_unwritable, file_unreadable.
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
  ~PrivateTree();  // removes it, what was compiled apart

  std::filesystem::path path() const { return work_ / "tree"; }
  const std::filesystem::path& aiter() const { return aiter_; }  // that it looks like
  // What makes Python and AITER write into the tree and these neighbours only: PYTHONPATH,
  // PYTHONPYCACHEPREFIX, AITER_JIT_DIR.
  std::map<std::string, std::string> Environment() const;

 private:
  std::filesystem::path work_;  // empty: none
  std::filesystem::path aiter_, jit_;
};

// Where AITER's script lies in a tree; empty where this AITER has none. Wheels keep csrc/ in
// aiter_meta/.
std::filesystem::path FindScript(const std::filesystem::path& tree, const std::string& script);

// What is installed for `python`, as name=value for a run: pytorch, triton, aiter, rocm (that
// PyTorch was built for) and, where `engine` names a package such as vllm, engine=vllm@0.11.0.
// Nothing is imported, so that no GPU is touched; what is not there is left out.
std::vector<std::string> PythonToolchain(const std::string& python, const std::string& engine = "");

}  // namespace tunehub::agent
