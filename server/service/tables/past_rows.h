// Rows that no snapshot holds: those of an old revision, and those that a filter chose among the
// candidates.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "server/service/registry/lines.h"
#include "server/service/tables/table_bytes.h"
#include "server/store/analysis/measurement_records.h"
#include "server/store/tables/revision_records.h"

namespace tunehub::service {

// In the columns and the order of `family`, the version that was in force then; `id` is its number.
// The answer refers to `family`. Only lines of another version are typed again. Throws
// std::runtime_error where one does not fit.
RowSet PastRows(const core::Family& family, std::int16_t id, std::vector<store::PastRow> past,
                FamilyVersions& versions, const core::Targets& targets);

// Of each key and provider the best candidate whose cells are `allowed`, of those that come one
// after the other.
class ChosenRows {
 public:
  ChosenRows(const core::Family& family, std::int16_t id,
             std::function<bool(const core::Cells&)> allowed, FamilyVersions& versions,
             const core::Targets& targets)
      : family_(family),
        id_(id),
        allowed_(std::move(allowed)),
        versions_(versions),
        targets_(targets) {}

  void Add(store::CandidateRecord candidate);
  // Once, at the end.
  RowSet Done();

 private:
  const core::Family& family_;
  const std::int16_t id_;
  const std::function<bool(const core::Cells&)> allowed_;
  FamilyVersions& versions_;
  const core::Targets& targets_;
  std::map<std::pair<core::Hash128, registry::Provider>, store::CandidateRecord> best_;
  std::string scratch_;
};

}  // namespace tunehub::service
