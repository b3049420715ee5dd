// A manifest: the kernels that one build of AITER can run, as a text that is the same for the same
// build and so has a digest.
//
//   # kind: compiled
//   # aiter: 0.1.14
//   module,gfx,kernelId,kernelName
//   gemm_a8w8,gfx942,3,a8w8_rowwise_256x256x192x128_...
//
// The lines before the header say the kind and the versions of the libraries. An empty gfx stands
// for any, an empty kernelId for unknown, the kernelName * for all that the module could have. The
// kind `tree` has two columns more: `built` is 1 where a library has the kernel now, empty where
// the tree's candidate lists alone have it, and `shape` names a shape that a compiled table has it
// for (304x16x1280x8192: the CU count, then what the lookup compares).
//
// And what a row does in a build: whether its kernel runs, now or once a module is built again, and
// the row as that build has to read it.
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

// A full tree lists about 5,000 kernels; a text of this many is read in a quarter of a second.
inline constexpr std::size_t kMaxManifestKernels = 100'000;
inline constexpr std::size_t kMaxManifestBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxManifestVersions = 32;
// Remarks beyond these say nothing that the first ones do not.
inline constexpr std::size_t kMaxManifestIssues = 100;
inline constexpr std::string_view kAnyKernel = "*";
inline constexpr std::string_view kNoKernel = "-";  // of a module that was built with none

enum class BuildKind {
  kBuildable,  // its candidate lists: what a build to come may compile
  kCompiled,   // the names in its libraries: what a build has
  kTree,       // both, told apart row by row
};
std::string_view Name(BuildKind kind);  // "buildable"
std::optional<BuildKind> ParseBuildKind(std::string_view text);

struct ManifestKernel {
  std::string module;
  std::string gfx;  // "": any
  std::string name;
  std::optional<int> id;
  bool built = false;      // of a kTree
  std::string shape = {};  // of a built kernel in a compiled table; "": of none, or not known

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

  // It has the kernel `name` of `module` for `gfx`, built or only buildable.
  bool Contains(std::string_view module, std::string_view gfx, std::string_view name) const;
  // A library of the build has it now. Nothing of a kBuildable is, all of a kCompiled.
  bool ContainsBuilt(std::string_view module, std::string_view gfx, std::string_view name) const;
  // The build's sources have it, so that building the module could make it. Nothing of a kCompiled.
  bool ContainsBuildable(std::string_view module, std::string_view gfx,
                         std::string_view name) const;
  // The compiled table of `module` has this very kernel for `shape`.
  bool IsCompiledFor(std::string_view module, std::string_view gfx, std::string_view name,
                     std::string_view shape) const;
  // The module was built: AITER does not build it at the first call.
  bool IsBuilt(std::string_view module) const;
  // The build's own number of that kernel, the lowest of several; nothing where the manifest says
  // none.
  std::optional<int> IdOf(std::string_view module, std::string_view gfx,
                          std::string_view name) const;
  // `id` is one of the build's numbers of that kernel: AITER lists some kernels twice.
  bool HasId(std::string_view module, std::string_view gfx, std::string_view name, int id) const;
  // The same build with these modules taken away, so that the next call builds them. Of a kTree.
  Manifest WithoutBuilt(const std::set<std::string>& modules) const;
  // How many kernels each module has.
  std::map<std::string, std::size_t> CountByModule() const;

  std::string Text() const;    // canonical
  std::string Sha256() const;  // of Text(), hex

 private:
  // The rows of this very name.
  std::span<const ManifestKernel> Find(std::string_view module, std::string_view gfx,
                                       std::string_view name) const;
  // Some row that stands for the kernel, by its name or *, fulfils the condition.
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
// bad_kernel_name, bad_built, bad_shape, ambiguous_id: one number for two names).
Result<Manifest> ParseManifest(std::string_view text, std::vector<RowIssue>& issues);

// From the best to the worst: a row of several kernels is as good as its worst.
enum class RowState {
  kEffective,           // runs what it names, as the build is, or is built at the first call
  kAfterRebuild,        // once its module is built again; until then it changes at most the split K
  kRaisesUntilRebuild,  // once its module is built again; until then AITER raises at the call
  kImpossible,          // this build cannot run it, built again or not
};
inline constexpr std::size_t kRowStates = 4;
std::string_view Name(RowState state);  // "after_rebuild"

struct RowVerdict {
  RowState state = RowState::kEffective;
  const Module* module = nullptr;  // that decides; null: none is known, or no kernel is named
  std::string_view kernel;         // of the row; "": none is named

  // May stand in a table for the build: harmless at the least.
  bool served() const { return state == RowState::kEffective || state == RowState::kAfterRebuild; }
};

// The module that runs `kernel` of a row; null where the family has none for it.
const Module* ModuleOf(const Family& family, const Cells& cells, std::string_view kernel);

// Some kernel of the manifest is of a module that one of these families has.
bool IsOfFamily(const Family& family, const Manifest& manifest);

class BuildFit {
 public:
  // Both must outlive it.
  BuildFit(const Family& family, const Manifest& manifest) : family_(family), manifest_(manifest) {}

  // A module that is not built is built at the first call, from the table: what it can be built
  // with is effective. A row that names no kernel is impossible where the family has a column for
  // one.
  RowVerdict Judge(const Cells& cells) const;

  bool Runs(const Cells& cells) const { return Judge(cells).served(); }

  // Why a row is not effective: "gemm_a8w8 has no a8w8_rowwise_..."; "" where it is.
  std::string Why(const RowVerdict& verdict, const Cells& cells) const;
  // Why it does not run; "" where it does.
  std::string WhyNot(const Cells& cells) const {
    const RowVerdict verdict = Judge(cells);
    return verdict.served() ? "" : Why(verdict, cells);
  }

  // Writes the build's own number of the kernel into the row where its module goes by that and the
  // row's is none of the build's for it; true where it did. `scratch` keeps the text.
  bool Renumber(Cells& cells, std::string& scratch) const;

 private:
  RowState JudgeKernel(const Module& module, const Cells& cells, std::string_view kernel) const;
  RowState JudgeBuilt(const Module& module, const Cells& cells, std::string_view name) const;
  // As the build writes the row's name of it: an alias stands for what the build has.
  std::string NameIn(const Module& module, std::string_view gfx, std::string_view kernel) const;

  const Family& family_;
  const Manifest& manifest_;
};

}  // namespace tunehub::core
