// Finds the kernels that an AITER tree can run. Its lookup headers, libraries and code objects show
// the kernels that it can run now. Its candidate lists show the kernels that it can run after a
// rebuild.
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

// A kernel's name in a lookup header, a library or a candidate list.
struct NamedKernel {
  std::optional<int> id;
  std::string name;
  std::string gfx = {};    // from a table by shape; else ""
  std::string shape = {};  // "304x16x1280x8192"

  auto operator<=>(const NamedKernel&) const = default;
};

// Finds every function template NAME<...> of a GENERATE_LOOKUP_TABLE header whose name begins with
// one of `prefixes`. The header is one of three kinds. A registry identifies a kernel by name, a
// table by architecture and shape, a tuner's table by number.
std::set<NamedKernel> KernelsOfHeader(std::string_view header,
                                      const std::vector<std::string>& prefixes);

// Finds the names in a library's bytes that begin with one of `prefixes`: plain texts, or parts of
// mangled symbols (_Z86a8w8_rowwise_...).
std::set<std::string> KernelsOfLibrary(std::string_view bytes,
                                       const std::vector<std::string>& prefixes);

// The architectures of a library's device code ("amdgcn-amd-amdhsa--gfx942").
std::set<std::string> TargetsOfLibrary(std::string_view bytes);

// The names of a code object's kernels, sorted; each has a symbol NAME.kd. Errors: bad_code_object
// (no 64-bit little-endian ELF, or a table beyond the file's end).
core::Result<std::vector<std::string>> KernelsOfCodeObject(std::string_view bytes);

// The kernels in the tree's libraries and lookup headers.
// * A library that is named after a module contains the module's kernels. Other libraries contain
//   the kernels of modules without a library of their own.
// * A lookup header lists a registry's names, or a table's shapes that have a kernel. A header that
//   is newer than its library does not count, because the build of that library did not finish.
// * The result lacks kernels of the tuners' modules (module_*_tune), since no model runs them.
// * A module that was built without any kernel gets core::kNoKernel.
// `modules`: by name. Adds files that cannot be read to `unread`, with the reason.
std::vector<core::ManifestKernel> BuiltKernels(const BuildTree& tree,
                                               const std::map<std::string, core::Module>& modules,
                                               std::vector<std::string>& unread);

// Returns the kernels of a module's candidate list. The list is a Python file whose classes make
// the kernels' names. So python3 runs the file for the GPU `gfx`, with empty modules for torch,
// aiter and chip_info. Reads every dictionary from number to kernel whose name begins with
// candidate_kernels. If there is none, reads all such dictionaries. Errors: child_unstartable,
// candidates_unreadable (with Python's last line).
core::Result<std::set<NamedKernel>> ReadCandidateList(const std::filesystem::path& file,
                                                      const std::string& gfx);

struct ScanOptions {
  std::filesystem::path folder;
  // The kind of manifest. If absent: kTree if the tree has built kernels and candidate lists,
  // kCompiled if it has only built kernels, else kBuildable.
  std::optional<core::BuildKind> kind;
  std::vector<std::string> gfxs;  // for candidate lists; empty: all gfx for which AITER builds
};

// The folder of a tree's code objects.
inline constexpr std::string_view kCodeObjects = "hsa/";

// A module without any kernel in the tree.
struct AbsentModule {
  std::string module;
  std::string place;  // where the scan looked: "hsa/", "aiter/ops/flydsl"
};

struct BuildScan {
  core::Manifest manifest;
  std::vector<AbsentModule> absent;
  std::vector<std::string> unread;  // files that could not be read, with the reason
};

// Errors: no_kernels, with the places searched.
core::Result<BuildScan> ScanBuild(const Configuration& configuration, const ScanOptions& options);

}  // namespace tunehub::agent
