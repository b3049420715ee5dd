// Whether a build can run what a row names, and the row as that build has to read it.
#pragma once

#include <string>
#include <string_view>

#include "core/family.h"
#include "core/manifest.h"

namespace tunehub::core {

// The module that runs `kernel` of a row; null where the family has none for it.
const Module* ModuleOf(const Family& family, const Cells& cells, std::string_view kernel);

// Some kernel of the manifest is of a module that one of these families has.
bool IsOfFamily(const Family& family, const Manifest& manifest);

class BuildFit {
 public:
  // Both must outlive it.
  BuildFit(const Family& family, const Manifest& manifest) : family_(family), manifest_(manifest) {}

  // Every kernel that the row names is one of the build's. A row that names none runs only where
  // the family has no column for one. A build to come that finds the kernel by its number must know
  // that.
  bool Runs(const Cells& cells) const { return FirstMissing(cells) == nullptr; }

  // Why it does not run: "gemm_a8w8 has no a8w8_rowwise_..."; "" where it does.
  std::string WhyNot(const Cells& cells) const;

  // Writes the build's own number of the kernel into the row where its module goes by that; true
  // where it was another one. `scratch` keeps the text. Precondition: Runs(cells).
  bool Renumber(Cells& cells, std::string& scratch) const;

 private:
  // The cell of the first kernel that the build lacks.
  const std::string_view* FirstMissing(const Cells& cells) const;
  bool Has(const Cells& cells, std::string_view kernel) const;

  const Family& family_;
  const Manifest& manifest_;
};

}  // namespace tunehub::core
