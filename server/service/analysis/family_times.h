// The times of a family's competing candidates, read when they are asked for, since there are as
// many as measurements.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/row/target.h"
#include "server/service/registry/definitions.h"
#include "server/service/registry/lines.h"
#include "server/store/store.h"

namespace tunehub::service {

class TimeTables {
 public:
  TimeTables(const Definitions& definitions, store::Store& store, FamilyVersions& versions)
      : definitions_(definitions), store_(store), versions_(versions) {}

  // Of the keys with more than one candidate all that did not win, in the order of the CSV, their
  // lines in the columns in force. Throws Unavailable.
  void ForEachLoser(const core::Family& family, store::TimesWanted wanted,
                    const std::function<void(const store::TimeRecord&)>& visit);
  // Of the same keys the times of winners, defaults and these candidates. Throws Unavailable.
  void ForEachChoice(const core::Family& family, const std::vector<core::Hash128>& candidates,
                     const store::VisitChoice& visit);
  // Whether a target has such keys. Throws Unavailable.
  bool HasSeveral(const core::Family& family, const std::string& gfx, int cu_num);
  // The version of what is measured. Throws Unavailable.
  core::Pin Writes() { return store_.revisions().ReadHeads().writes; }

 private:
  const Definitions& definitions_;
  store::Store& store_;
  FamilyVersions& versions_;
};

}  // namespace tunehub::service
