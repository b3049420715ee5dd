// What to run where nothing was tuned: what people wrote down for a family, and what its tuned rows
// teach, per target, learned once per revision of the family. What is learned is kept for a while;
// the samples are not.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/analysis/heuristic.h"
#include "core/analysis/samples.h"
#include "core/analysis/score.h"
#include "core/shapes/shape.h"
#include "server/service/analysis/family_times.h"
#include "server/service/registry/definitions.h"
#include "server/service/registry/kept.h"
#include "server/service/registry/snapshots.h"

namespace tunehub::service {

// Of a target with more tuned keys than these that many are learned from, chosen by their hashes.
inline constexpr std::size_t kMostLearned = 20'000;

struct Learned {
  core::Pin revision;  // of the family, whose rows it was learned from
  analysis::Heuristic tree;
};
std::size_t SizeOf(const Learned& learned);

// How good a learned tree is, and beside it what was written down and what one answer would score.
struct Rated {
  analysis::Score left_out;  // each size answered by a tree that has not seen it
  analysis::Score seen;
  std::optional<analysis::Score> written;
  std::optional<analysis::Score> fallback;
};

// All of it, while an answer is made.
struct HeuristicReport {
  const Learned& learned;
  const analysis::Samples& samples;
  Rated rated;
};

struct HeuristicAnswer {
  core::Pin revision;  // Learned
  std::string body;
};
std::size_t SizeOf(const HeuristicAnswer& answer);

class Heuristics {
 public:
  using LearnedTree = std::shared_ptr<const Learned>;
  using WriteReport = std::function<std::string(const HeuristicReport&)>;

  // Throws std::runtime_error where a file of the folder is wrong.
  Heuristics(const Definitions& definitions, const Snapshots& snapshots, TimeTables& times);

  // Null where nobody wrote one down, or for other targets.
  const analysis::Heuristic* Written(const core::Family& family, std::string_view gfx,
                                     int cu_num) const;
  // Error too_few_rows, with the count that is needed.
  core::Result<LearnedTree> Learn(const core::Family& family, const core::Target& target);
  // What is told of it, written once for each revision. Error as of Learn.
  core::Result<std::shared_ptr<const HeuristicAnswer>> Answer(const core::Family& family,
                                                              const core::Target& target,
                                                              const WriteReport& write);
  // The one to choose by: what was written down, else what was learned; null where neither is.
  // `holder` keeps it alive.
  const analysis::Heuristic* Best(const core::Family& family, const core::Target& target,
                                  LearnedTree& holder);

 private:
  analysis::Samples SamplesOf(const core::Family& family, const core::Target& target,
                              const FamilySnapshot& snapshot);
  core::Result<LearnedTree> LearnFrom(const core::Family& family, const core::Target& target,
                                      const FamilySnapshot& snapshot,
                                      const analysis::Samples* samples);
  Rated Rate(const core::Family& family, const core::Target& target,
             const analysis::Samples& samples, const analysis::Heuristic& tree) const;

  const Definitions& definitions_;
  const Snapshots& snapshots_;
  TimeTables& times_;
  std::map<std::string, analysis::Heuristic> written_;  // by family
  Kept<Learned> learned_;
  Kept<HeuristicAnswer> answers_;
};

}  // namespace tunehub::service
