// What to run where nothing was tuned: what people wrote down for a family, and what its tuned rows
// teach, per target, learned once per revision of the family.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>

#include "core/analysis/heuristic.h"
#include "core/analysis/samples.h"
#include "core/analysis/score.h"
#include "core/shapes/shape.h"
#include "server/service/analysis/family_times.h"
#include "server/service/registry/definitions.h"
#include "server/service/registry/snapshots.h"

namespace tunehub::service {

struct Learned {
  core::Pin revision;  // of the family, whose rows it was learned from
  std::shared_ptr<const analysis::Samples> samples;
  analysis::Heuristic tree;
};

// How good a learned tree is, and beside it what was written down and what one answer would score.
struct Rated {
  analysis::Score left_out;  // each size answered by a tree that has not seen it
  analysis::Score seen;
  std::optional<analysis::Score> written;
  std::optional<analysis::Score> fallback;
};

class Heuristics {
 public:
  // Throws std::runtime_error where a file of the folder is wrong.
  Heuristics(const Definitions& definitions, const Snapshots& snapshots, TimeTables& times);

  // Null where nobody wrote one down, or for other targets.
  const analysis::Heuristic* Written(const core::Family& family, std::string_view gfx,
                                     int cu_num) const;
  // Error too_few_rows, with the count that is needed.
  core::Result<std::shared_ptr<const Learned>> Learn(const core::Family& family,
                                                     const core::Target& target);
  // Of what Learn() answered.
  std::shared_ptr<const Rated> Rate(const core::Family& family, const core::Target& target,
                                    const Learned& learned);
  // The one to choose by: what was written down, else what was learned; null where neither is.
  // `holder` keeps it alive.
  const analysis::Heuristic* Best(const core::Family& family, const core::Target& target,
                                  std::shared_ptr<const Learned>& holder);

 private:
  using Place = std::tuple<std::int16_t, std::string, int>;
  struct Known {
    std::shared_ptr<const Learned> learned;
    std::shared_ptr<const Rated> rated;  // of `learned`
  };

  std::shared_ptr<analysis::Samples> SamplesOf(const core::Family& family,
                                               const core::Target& target,
                                               const FamilySnapshot& snapshot);

  const Definitions& definitions_;
  const Snapshots& snapshots_;
  TimeTables& times_;
  std::map<std::string, analysis::Heuristic> written_;  // by family
  std::mutex mutex_;                                    // one is learned at a time
  std::map<Place, Known> known_;
};

}  // namespace tunehub::service
