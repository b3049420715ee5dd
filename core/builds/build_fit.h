// What a row does in a build: whether its kernel runs, now or once a module is built again, and the
// row as that build has to read it.
#pragma once

#include <string>
#include <string_view>

#include "core/builds/manifest.h"
#include "core/family/family.h"

namespace tunehub::core {

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
