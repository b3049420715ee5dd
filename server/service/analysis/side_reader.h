// Reads rows of runs, one after the other, into a side of a comparison.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/analysis/compared_side.h"
#include "core/family/family.h"
#include "core/row/target.h"
#include "server/service/analysis/compared_targets.h"
#include "server/service/registry/definitions.h"
#include "server/service/registry/lines.h"
#include "server/store/store.h"

namespace tunehub::service {

class SideReader {
 public:
  // What is read goes into `side`. The database is asked for versions of the families, so no stream
  // of this thread may be open.
  SideReader(const Definitions& definitions, FamilyVersions& versions,
             const ComparedFamilies& families, const core::Target& target, analysis::Side& side);

  // The families' ids, whose rows are wanted.
  std::vector<std::int16_t> Families() const;

  // Leaves out rows of other targets, and those whose columns their family no longer has.
  void Add(const store::RunTimeRecord& record);

 private:
  // Rows come by family, and mostly by version.
  void Enter(const store::RunTimeRecord& record);

  const Definitions& definitions_;
  FamilyVersions& versions_;
  const ComparedFamilies& families_;
  const core::Target& wanted_;
  analysis::Side& side_;
  std::map<std::int16_t, const core::Family*> by_id_;
  std::int16_t id_ = 0;
  int version_ = -1;
  const core::Family* family_ = nullptr;
  std::shared_ptr<const core::Family> stored_;
  std::string scratch_, candidate_, target_;
  analysis::NamedViews shape_;
};

}  // namespace tunehub::service
