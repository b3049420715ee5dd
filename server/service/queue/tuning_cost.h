// What tuning a shape costs, by what done jobs took. Nothing is assumed where none was ever done.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/row/target.h"
#include "server/store/queue/queue_records.h"

namespace tunehub::service {

enum class CostBasis { kNone, kFamilyOnTarget, kTarget, kAny };
std::string_view Name(CostBasis basis);  // "none", "family_on_target", "target", "any"

struct TuningCost {
  CostBasis basis = CostBasis::kNone;
  std::int64_t jobs = 0, shapes = 0;
  double seconds = 0;  // of one GPU, for all of these shapes

  double per_shape() const { return seconds / static_cast<double>(shapes); }
};

// By the jobs of the family on the target where there are any, else by all of the target, else by
// all.
TuningCost CostOf(const std::vector<store::DoneWork>& done, std::int16_t family,
                  const core::Target& target);

}  // namespace tunehub::service
