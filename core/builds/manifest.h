// A manifest lists the kernels that one build of AITER can run. Equal builds have equal texts and
// therefore equal digests.
//
//   # kind: compiled
//   # aiter: 0.1.14
//   module,gfx,kernelId,kernelName
//   gemm_a8w8,gfx942,3,a8w8_rowwise_256x256x192x128_...
//
// Lines before the header contain the kind and the libraries' versions. An empty gfx means any gfx.
// An empty kernelId means an unknown id. The kernelName * means every kernel that the module could
// have. A manifest of kind `tree` has two more columns:
// * `built` is 1 if a library contains the kernel; empty if only candidate lists contain it.
// * `shape` is a shape for which a compiled table contains the kernel. It lists the CU count, then
//   the columns that the table compares: 304x16x1280x8192.
//
// BuildFit says whether a row's kernel runs in a build, now or after a rebuild of its module. It
// also renumbers the row for that build.
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

// A full tree lists about 5,000 kernels. Reading this maximum takes a quarter of a second.
inline constexpr std::size_t kMaxManifestKernels = 100'000;
inline constexpr std::size_t kMaxManifestBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxManifestVersions = 32;
inline constexpr std::size_t kMaxManifestIssues = 100;
inline constexpr std::string_view kAnyKernel = "*";
inline constexpr std::string_view kNoKernel = "-";  // a module that was built without kernels

enum class BuildKind {
  kBuildable,  // from candidate lists: kernels that a future build may compile
  kCompiled,   // from names in libraries: kernels that a build contains
  kTree,       // from both sources; each row says which source
};
std::string_view Name(BuildKind kind);  // "buildable"
std::optional<BuildKind> ParseBuildKind(std::string_view text);

struct ManifestKernel {
  std::string module;
  std::string gfx;  // "": any
  std::string name;
  std::optional<int> id;
  bool built = false;      // kTree only
  std::string shape = {};  // a built kernel's shape in a compiled table; "": none or unknown

  auto operator<=>(const ManifestKernel&) const = default;
};

class Manifest {
 public:
  Manifest() = default;
  // `kernels` may be in any order and contain repetitions. Precondition: ParseManifest accepts
  // their names and ids.
  Manifest(BuildKind kind, std::map<std::string, std::string> versions,
           std::vector<ManifestKernel> kernels);

  BuildKind kind() const { return kind_; }
  const std::map<std::string, std::string>& versions() const { return versions_; }
  const std::vector<ManifestKernel>& kernels() const { return kernels_; }  // sorted, each once

  // True if `module` has the kernel `name` for `gfx`, built or only buildable.
  bool Contains(std::string_view module, std::string_view gfx, std::string_view name) const;
  // True if a library contains the kernel. Always false for kBuildable. For kCompiled, true for
  // every listed kernel.
  bool ContainsBuilt(std::string_view module, std::string_view gfx, std::string_view name) const;
  // True if the sources contain the kernel, so that a rebuild could make it. Always false for
  // kCompiled.
  bool ContainsBuildable(std::string_view module, std::string_view gfx,
                         std::string_view name) const;
  // True if the compiled table of `module` contains exactly this kernel for `shape`.
  bool IsCompiledFor(std::string_view module, std::string_view gfx, std::string_view name,
                     std::string_view shape) const;
  // True if the module was built; otherwise AITER builds it at the first call.
  bool IsBuilt(std::string_view module) const;
  // Returns the build's lowest id of the kernel; nullopt if the manifest contains none.
  std::optional<int> IdOf(std::string_view module, std::string_view gfx,
                          std::string_view name) const;
  // True if the build knows the kernel by `id`. AITER lists some kernels under two ids.
  bool HasId(std::string_view module, std::string_view gfx, std::string_view name, int id) const;
  // Returns the same build without these built modules. AITER would build them at their next call.
  // Only for kTree.
  Manifest WithoutBuilt(const std::set<std::string>& modules) const;
  std::map<std::string, std::size_t> CountByModule() const;

  std::string Text() const;    // canonical
  std::string Sha256() const;  // SHA-256 of Text(), as hex

 private:
  std::span<const ManifestKernel> Find(std::string_view module, std::string_view gfx,
                                       std::string_view name) const;
  // True if `condition` is true for at least one row that names the kernel or *.
  template <typename Condition>
  bool Any(std::string_view module, std::string_view gfx, std::string_view name,
           Condition condition) const;

  BuildKind kind_ = BuildKind::kBuildable;
  std::map<std::string, std::string> versions_;
  std::vector<ManifestKernel> kernels_;
};

// True for numbers with x between them: 304x16x1280x8192.
bool IsShape(std::string_view text);

// Errors: too_large, too_many_rows, empty_table, no_kind, bad_kind, bad_version, missing_column,
// unknown_column, duplicate_column, no_kernels, bad_manifest; those of CheckTableText and
// CsvReader. For bad_manifest, `issues` receives the faulty rows: ragged_row, bad_module, bad_gfx,
// bad_kernel_id, bad_kernel_name, bad_built, bad_shape, ambiguous_id (one id for two names).
Result<Manifest> ParseManifest(std::string_view text, std::vector<RowIssue>& issues);

// The states go from best to worst. A row with several kernels has the state of its worst kernel.
enum class RowState {
  kEffective,           // runs its kernel: already built, or built at the first call
  kAfterRebuild,        // runs after a rebuild of its module; before, it may only change split K
  kRaisesUntilRebuild,  // runs after a rebuild; before, AITER raises an exception
  kImpossible,          // never runs in this build, even after a rebuild
};
inline constexpr std::size_t kRowStates = 4;
std::string_view Name(RowState state);  // "after_rebuild"

struct RowVerdict {
  RowState state = RowState::kEffective;
  // the module that decided; null: unknown, or the row names no kernel
  const Module* module = nullptr;
  std::string_view kernel;  // the row's kernel; "": the row names none

  // True if a table for the build may contain the row. Other rows would do harm.
  bool served() const { return state == RowState::kEffective || state == RowState::kAfterRebuild; }
};

// Returns the module that runs a row's `kernel`; null if the family has none.
const Module* ModuleOf(const Family& family, const Cells& cells, std::string_view kernel);

// True if the family has a module that the manifest lists with some kernel.
bool IsOfFamily(const Family& family, const Manifest& manifest);

class BuildFit {
 public:
  // Both arguments must outlive the object.
  BuildFit(const Family& family, const Manifest& manifest) : family_(family), manifest_(manifest) {}

  // AITER builds a missing module at its first call, with the kernels that the table names. So a
  // row is effective if its module can be built with its kernel. A row without a kernel is
  // impossible if the family has a kernel column.
  RowVerdict Judge(const Cells& cells) const;

  bool Runs(const Cells& cells) const { return Judge(cells).served(); }

  // Says why a row is not effective: "gemm_a8w8 has no a8w8_rowwise_...". Returns "" for an
  // effective row.
  std::string Why(const RowVerdict& verdict, const Cells& cells) const;
  // Says why a table for the build may not contain the row. Returns "" if the table may contain it.
  std::string WhyNot(const Cells& cells) const {
    const RowVerdict verdict = Judge(cells);
    return verdict.served() ? "" : Why(verdict, cells);
  }

  // Replaces the row's kernel id by the build's id if the two differ and the module finds kernels
  // by id. Returns true after a replacement. `scratch` owns the new text.
  bool Renumber(Cells& cells, std::string& scratch) const;

 private:
  RowState JudgeKernel(const Module& module, const Cells& cells, std::string_view kernel) const;
  RowState JudgeBuilt(const Module& module, const Cells& cells, std::string_view name) const;
  // The build's name of the row's kernel, found directly or by an alias.
  std::string NameIn(const Module& module, std::string_view gfx, std::string_view kernel) const;

  const Family& family_;
  const Manifest& manifest_;
};

}  // namespace tunehub::core
