// What an AITER tree can run: now, from its lookup headers, libraries and code objects, and built
// again, from its candidate lists.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/aiter/aiter_tree.h"
#include "agent/base/configuration.h"
#include "core/base/result.h"
#include "core/builds/manifest.h"
#include "core/family/family.h"

namespace tunehub::agent {

// Kernel names in what a build leaves: the lookup headers that its code generators write, and its
// libraries.
struct NamedKernel {
  std::optional<int> id;
  std::string name;
  std::string gfx = {};    // of a table by shape; "": not said
  std::string shape = {};  // "304x16x1280x8192"

  auto operator<=>(const NamedKernel&) const = default;
};

// Of a GENERATE_LOOKUP_TABLE header: every function template NAME<...> whose name begins with one
// of `prefixes`. Its key is the name, a shape behind its architecture, or, in a tuner's table, the
// number.
std::set<NamedKernel> KernelsOfHeader(std::string_view header,
                                      const std::vector<std::string>& prefixes);

// Of a library's bytes: names that begin with one of `prefixes`, as texts or within mangled symbols
// (_Z86a8w8_rowwise_...).
std::set<std::string> KernelsOfLibrary(std::string_view bytes,
                                       const std::vector<std::string>& prefixes);

// The architectures that a library has device code for ("amdgcn-amd-amdhsa--gfx942").
std::set<std::string> TargetsOfLibrary(std::string_view bytes);

// Each kernel has a descriptor NAME.kd among the symbols; the names, sorted. Errors:
// bad_code_object (no 64-bit little-endian ELF, or a table that leaves the file).
core::Result<std::vector<std::string>> KernelsOfCodeObject(std::string_view bytes);

// What the libraries and lookup headers of an AITER tree have now.
// A library of a known module's name holds that one's kernels; another one those that no such
// library is for. A lookup header says which names a registry has and for which shapes a table has
// a kernel, where it is not newer than the library: then the build did not end. What tuners build
// (module_*_tune) has every kernel and runs in no model: it is left out. A module that is built
// without any kernel has core::kNoKernel. `modules` is by name.
// Files that cannot be read are added to `unread`, with the reason.
std::vector<core::ManifestKernel> BuiltKernels(const BuildTree& tree,
                                               const std::map<std::string, core::Module>& modules,
                                               std::vector<std::string>& unread);

// The kernels that a module's candidate list may compile. The list is a Python file whose names are
// made by its classes, so Python reads it.
// Runs python3 with the list of `file`, told that the GPU is a `gfx`, with nothing behind the
// imports that need one (torch, aiter, chip_info). Takes the entries of its dictionaries from
// number to kernel; where some are called candidate_kernels..., of those alone, since the others
// are what they were made of. Errors: child_unstartable, candidates_unreadable (with Python's last
// words).
core::Result<std::set<NamedKernel>> ReadCandidateList(const std::filesystem::path& file,
                                                      const std::string& gfx);

struct ScanOptions {
  std::filesystem::path folder;
  // Absent: tree where there are libraries or lookup headers of known modules, and candidate lists;
  // compiled or buildable where only those or these are there.
  std::optional<core::BuildKind> kind;
  std::vector<std::string> gfxs;  // for candidate lists; empty: every one that AITER builds for
};

// Where a tree keeps code objects, by architecture.
inline constexpr std::string_view kCodeObjects = "hsa/";

// A module that the tree has nothing of.
struct AbsentModule {
  std::string module;
  std::string place;  // where it would be: "hsa/", "aiter/ops/flydsl"
};

struct BuildScan {
  core::Manifest manifest;
  std::vector<AbsentModule> absent;
  std::vector<std::string> unread;  // files that should tell and could not be read, and why
};

// Errors: no_kernels, with the places that were looked at.
core::Result<BuildScan> ScanBuild(const Configuration& configuration, const ScanOptions& options);

}  // namespace tunehub::agent
