// A manifest: the kernels that one build of AITER can run, as a text that is the same for the same
// build and so has a digest.
//
//   # kind: compiled
//   # aiter: 0.1.14
//   module,gfx,kernelId,kernelName
//   gemm_a8w8,gfx942,3,a8w8_rowwise_256x256x192x128_...
//
// The lines before the header say the kind and the versions of the libraries. An empty gfx stands
// for any, an empty kernelId for unknown, the kernelName * for all that the module could have.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/row_issue.h"

namespace tunehub::core {

// A full tree lists about 5,000 kernels; a text of this many is read in a quarter of a second.
inline constexpr std::size_t kMaxManifestKernels = 100'000;
inline constexpr std::size_t kMaxManifestBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxManifestVersions = 32;
// Remarks beyond these say nothing that the first ones do not.
inline constexpr std::size_t kMaxManifestIssues = 100;
inline constexpr std::string_view kAnyKernel = "*";

enum class BuildKind {
  kBuildable,  // its candidate lists: what a build to come may compile
  kCompiled,   // the names in its libraries: what a build has
};
std::string_view Name(BuildKind kind);  // "buildable"
std::optional<BuildKind> ParseBuildKind(std::string_view text);

struct ManifestKernel {
  std::string module;
  std::string gfx;  // "": any
  std::string name;
  std::optional<int> id;

  auto operator<=>(const ManifestKernel&) const = default;
};

class Manifest {
 public:
  Manifest() = default;
  // In any order and with repetitions. Precondition: names and ids as ParseManifest lets them.
  Manifest(BuildKind kind, std::map<std::string, std::string> versions,
           std::vector<ManifestKernel> kernels);

  BuildKind kind() const { return kind_; }
  const std::map<std::string, std::string>& versions() const { return versions_; }
  const std::vector<ManifestKernel>& kernels() const { return kernels_; }  // sorted, each once

  // It can run the kernel `name` of `module` on `gfx`.
  bool Contains(std::string_view module, std::string_view gfx, std::string_view name) const;
  // The build's own number of that kernel, the lowest of several; nothing where the manifest says
  // none.
  std::optional<int> IdOf(std::string_view module, std::string_view gfx,
                          std::string_view name) const;
  // How many kernels each module has.
  std::map<std::string, std::size_t> CountByModule() const;

  std::string Text() const;    // canonical
  std::string Sha256() const;  // of Text(), hex

 private:
  const ManifestKernel* Find(std::string_view module, std::string_view gfx,
                             std::string_view name) const;

  BuildKind kind_ = BuildKind::kBuildable;
  std::map<std::string, std::string> versions_;
  std::vector<ManifestKernel> kernels_;
};

// 1 to 64 of a-z, 0-9 and _.
bool IsModuleName(std::string_view text);

// Errors: too_large, too_many_rows, those of CheckTableText and CsvReader, empty_table, no_kind,
// bad_kind, bad_version, missing_column, unknown_column, duplicate_column, no_kernels, and
// bad_manifest, whose rows are in `issues` (ragged_row, bad_module, bad_gfx, bad_kernel_id,
// bad_kernel_name, ambiguous_id: one number for two names).
Result<Manifest> ParseManifest(std::string_view text, std::vector<RowIssue>& issues);

}  // namespace tunehub::core
