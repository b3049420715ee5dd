// What was missed and is still not tuned, with what becomes of it.
#pragma once

#include <optional>
#include <vector>

#include "core/shapes/shape.h"
#include "server/service/registry/definitions.h"
#include "server/service/registry/snapshots.h"
#include "server/store/store.h"

namespace tunehub::service {

struct MissingShape {
  store::DemandRecord record;         // as it was missed
  core::FamilyShape to_tune;          // the shape that a lookup of it can use
  std::optional<store::OpenJob> job;  // that will tune it
};

struct MissingPage {
  std::vector<MissingShape> shapes;       // the most missed first
  std::optional<store::DemandPage> next;  // where to go on; absent: there is no more
};

class Missing {
 public:
  Missing(store::Store& store, const Snapshots& snapshots) : store_(store), snapshots_(snapshots) {}

  // At most `filter.limit` shapes of the filter's demand that are not tuned for their target. What
  // was missed on any CU count, or any target, is tuned where some target that fits has it. A page
  // may be short of its limit, and have a next. Throws Unavailable.
  MissingPage Page(store::DemandFilter filter) const;

 private:
  bool IsMet(const store::DemandRecord& record, const core::FamilyShape& shape,
             const core::FamilyShape& usable) const;
  void AddJobs(MissingPage& page) const;

  store::Store& store_;
  const Snapshots& snapshots_;
};

}  // namespace tunehub::service
