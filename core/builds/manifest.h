// A manifest lists the kernels that one build of AITER can run. Equal builds have equal texts, and
// so equal digests.
//
//   # kind: compiled
//   # aiter: 0.1.14
//   module,gfx,kernelId,kernelName
//   gemm_a8w8,gfx942,3,a8w8_rowwise_256x256x192x128_...
//
// Lines before the header give the kind and the libraries' versions. An empty gfx means any, an
// empty kernelId unknown, the kernelName * every kernel that the module could have. A manifest of
// kind `tree` has two more columns. `built` is 1 if a library has the kernel, empty if only
// candidate lists have it. `shape` is a shape for which a compiled table has the kernel
// (304x16x1280x8192: the CU count, then the compared columns).
//
// BuildFit says whether a row's kernel runs in a build, now or after its module is built again, and
// renumbers the row for that build.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/family.h"
#include "core/row/row.h"

namespace tunehub::core {

// A full tree lists about 5,000 kernels; reading this many takes a quarter of a second.
inline constexpr std::size_t kMaxManifestKernels = 100'000;
inline constexpr std::size_t kMaxManifestBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxManifestVersions = 32;
inline constexpr std::size_t kMaxManifestIssues = 100;
inline constexpr std::string_view kAnyKernel = "*";
inline constexpr std::string_view kNoKernel = "-";  // a module that was built without kernels

enum class BuildKind {
  kBuildable,  // candidate lists: what a future build may compile
  kCompiled,   // names in libraries: what a build has
  kTree,       // both, marked in each row
};
std::string_view Name(BuildKind kind);  // "buildable"
std::optional<BuildKind> ParseBuildKind(std::string_view text);

struct ManifestKernel {
  std::string module;
  std::string gfx;  // "": any
  std::string name;
  std::optional<int> id;
  bool built = false;      // kTree only
  std::string shape = {};  // shape of a built kernel in a compiled table; "": none or unknown

  auto operator<=>(const ManifestKernel&) const = default;
};

class Manifest {
 public:
  Manifest() = default;
  // `kernels` in any order, with repetitions. Precondition: names and ids that ParseManifest
  // accepts.
  Manifest(BuildKind kind, std::map<std::string, std::string> versions,
           std::vector<ManifestKernel> kernels);

  BuildKind kind() const { return kind_; }
  const std::map<std::string, std::string>& versions() const { return versions_; }
  const std::vector<ManifestKernel>& kernels() const { return kernels_; }  // sorted, each once

  // True if `module` has the kernel `name` for `gfx`, built or only buildable.
  bool Contains(std::string_view module, std::string_view gfx, std::string_view name) const;
  // True if a library has the kernel. In a kBuildable none is built, in a kCompiled all are.
  bool ContainsBuilt(std::string_view module, std::string_view gfx, std::string_view name) const;
  // True if the sources have the kernel, so that a rebuild could make it. Never for kCompiled.
  bool ContainsBuildable(std::string_view module, std::string_view gfx,
                         std::string_view name) const;
  // True if the compiled table of `module` has exactly this kernel for `shape`.
  bool IsCompiledFor(std::string_view module, std::string_view gfx, std::string_view name,
                     std::string_view shape) const;
  // True if the module was built; otherwise AITER builds it at the first call.
  bool IsBuilt(std::string_view module) const;
  // The build's id of the kernel, the lowest of several; nullopt if the manifest has none.
  std::optional<int> IdOf(std::string_view module, std::string_view gfx,
                          std::string_view name) const;
  // True if `id` is one of the build's ids of the kernel: AITER lists some kernels twice.
  bool HasId(std::string_view module, std::string_view gfx, std::string_view name, int id) const;
  // The same build without these built modules, which the next call would build. For kTree.
  Manifest WithoutBuilt(const std::set<std::string>& modules) const;
  std::map<std::string, std::size_t> CountByModule() const;

  std::string Text() const;    // canonical
  std::string Sha256() const;  // of Text(), hex

 private:
  std::span<const ManifestKernel> Find(std::string_view module, std::string_view gfx,
                                       std::string_view name) const;
  // True if the condition holds for a row that names the kernel or *.
  template <typename Condition>
  bool Any(std::string_view module, std::string_view gfx, std::string_view name,
           Condition condition) const;

  BuildKind kind_ = BuildKind::kBuildable;
  std::map<std::string, std::string> versions_;
  std::vector<ManifestKernel> kernels_;
};

// Numbers with x between them: 304x16x1280x8192.
bool IsShape(std::string_view text);

// Errors: too_large, too_many_rows, those of CheckTableText and CsvReader, empty_table, no_kind,
// bad_kind, bad_version, missing_column, unknown_column, duplicate_column, no_kernels, and
// bad_manifest, whose rows are in `issues` (ragged_row, bad_module, bad_gfx, bad_kernel_id,
// bad_kernel_name, bad_built, bad_shape, ambiguous_id: one id for two names).
Result<Manifest> ParseManifest(std::string_view text, std::vector<RowIssue>& issues);

// From best to worst; a row's worst kernel decides.
enum class RowState {
  kEffective,     // runs its kernel: built already, or built at the first call
  kAfterRebuild,  // runs once its module is built again; until then it can only change the split K
  kRaisesUntilRebuild,  // runs once its module is built again; until then AITER raises at the call
  kImpossible,          // never runs in this build, even if built again
};
inline constexpr std::size_t kRowStates = 4;
std::string_view Name(RowState state);  // "after_rebuild"

struct RowVerdict {
  RowState state = RowState::kEffective;
  const Module* module = nullptr;  // the deciding module; null: unknown, or no kernel is named
  std::string_view kernel;         // the row's kernel; "": none is named

  // True if a table for the build may hold the row, because the row does no harm.
  bool served() const { return state == RowState::kEffective || state == RowState::kAfterRebuild; }
};

// The module that runs `kernel` of a row; null if the family has none for it.
const Module* ModuleOf(const Family& family, const Cells& cells, std::string_view kernel);

// True if the family has the module of some kernel of the manifest.
bool IsOfFamily(const Family& family, const Manifest& manifest);

class BuildFit {
 public:
  // Both arguments must outlive the object.
  BuildFit(const Family& family, const Manifest& manifest) : family_(family), manifest_(manifest) {}

  // AITER builds a module that is not built yet at its first call, with the kernels that the table
  // names. So a row is effective if its module can be built with its kernel. A row without a kernel
  // is impossible if the family has a column for one.
  RowVerdict Judge(const Cells& cells) const;

  bool Runs(const Cells& cells) const { return Judge(cells).served(); }

  // Why a row is not effective: "gemm_a8w8 has no a8w8_rowwise_..."; "" if it is.
  std::string Why(const RowVerdict& verdict, const Cells& cells) const;
  // Why a table for the build may not hold the row; "" if it may.
  std::string WhyNot(const Cells& cells) const {
    const RowVerdict verdict = Judge(cells);
    return verdict.served() ? "" : Why(verdict, cells);
  }

  // Replaces the row's kernel id by the build's, if the module finds kernels by id and the row's id
  // is not the build's. Returns true if it did; `scratch` holds the text.
  bool Renumber(Cells& cells, std::string& scratch) const;

 private:
  RowState JudgeKernel(const Module& module, const Cells& cells, std::string_view kernel) const;
  RowState JudgeBuilt(const Module& module, const Cells& cells, std::string_view name) const;
  // The build's name of the row's kernel, which an alias may give.
  std::string NameIn(const Module& module, std::string_view gfx, std::string_view kernel) const;

  const Family& family_;
  const Manifest& manifest_;
};

}  // namespace tunehub::core
