// Chooses candidates for untuned shapes, by a family's written heuristics and by trees that the hub
// learns from a target's tuned rows. The hub learns a tree once per revision. It caches the tree,
// but not the samples.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/analysis/heuristic.h"
#include "core/analysis/score.h"
#include "core/base/result.h"
#include "core/builds/manifest.h"
#include "core/row/target.h"
#include "server/db/connection_pool.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/kept.h"
#include "server/snapshots/snapshots.h"
#include "server/tables/measurement_store.h"
#include "server/tables/table_bytes.h"
#include "server/tables/tuned_query.h"

namespace tunehub::server {

// Visits the candidates that lost, in the order of the CSV, with lines in the current columns.
// Throws Unavailable.
void ForEachLoser(const Definitions& definitions, ConnectionPool& pool, FamilyVersions& versions,
                  const core::Family& family, TimesWanted wanted,
                  const std::function<void(const TimeRecord&)>& visit);

// The most shape keys for learning. If a target has more shape keys, the hub chooses this many by
// their hashes.
inline constexpr std::size_t kMostLearned = 4'000;
// One answer reads about this many times of candidates that lost.
inline constexpr std::size_t kMostTimes = 30'000;

struct Learned {
  core::Pin revision;  // the family's revision whose rows taught the tree
  analysis::Heuristic tree;
};
std::size_t SizeOf(const Learned& learned);

// Scores of a learned tree, of the written heuristic, and of the best single candidate for all
// shapes.
struct Rated {
  // cross-validation: the tree that scores a size was learned without this size
  analysis::Score left_out;
  analysis::Score seen;
  std::optional<analysis::Score> written;
  std::optional<analysis::Score> fallback;
};

// The input of WriteReport; valid during the call.
struct HeuristicReport {
  const Learned& learned;
  const analysis::Samples& samples;
  Rated rated;
};

struct HeuristicAnswer {
  core::Pin revision;  // see Learned
  std::string body;
};
std::size_t SizeOf(const HeuristicAnswer& answer);

class Heuristics {
 public:
  using LearnedTree = std::shared_ptr<const Learned>;
  using WriteReport = std::function<std::string(const HeuristicReport&)>;

  // Throws std::runtime_error for an invalid file in the folder.
  Heuristics(const Definitions& definitions, ConnectionPool& pool, const Snapshots& snapshots,
             FamilyVersions& versions);

  // Returns the written heuristic; null: nobody wrote a heuristic for the family and target.
  const analysis::Heuristic* Written(const core::Family& family, std::string_view gfx,
                                     int cu_num) const;
  // Errors: too_few_rows, with the required count.
  core::Result<LearnedTree> Learn(const core::Family& family, const core::Target& target);
  // Returns a report of the learned tree, which the hub renders once per revision. Errors: those of
  // Learn.
  core::Result<std::shared_ptr<const HeuristicAnswer>> Answer(const core::Family& family,
                                                              const core::Target& target,
                                                              const WriteReport& write);
  // Estimates from memory how many rows Answer would read; 0: the answer is ready.
  std::size_t Cost(const core::Family& family, const core::Target& target);
  // Returns the written heuristic, or else the learned heuristic; null: neither exists. `holder`
  // keeps the result alive.
  const analysis::Heuristic* Best(const core::Family& family, const core::Target& target,
                                  LearnedTree& holder);

 private:
  analysis::Samples SamplesOf(const core::Family& family, const core::Target& target,
                              const FamilySnapshot& snapshot);
  core::Result<Learned> LearnFrom(const core::Family& family, const core::Target& target,
                                  const FamilySnapshot& snapshot,
                                  const analysis::Samples& samples) const;
  Rated Rate(const core::Family& family, const core::Target& target,
             const analysis::Samples& samples, const analysis::Heuristic& tree) const;

  const Definitions& definitions_;
  ConnectionPool& pool_;
  const Snapshots& snapshots_;
  FamilyVersions& versions_;
  std::map<std::string, analysis::Heuristic> written_;  // by family
  Kept<Learned> learned_;
  Kept<HeuristicAnswer> answers_;
};

// Counts of rows for untuned shapes. A heuristic's choice must become a row: AITER cannot call a
// heuristic, and a build compiles only the kernels in its table.
struct Filled {
  std::size_t rows = 0;
  std::size_t left_out = 0;  // rows whose kernels the build lacks
};

// Adds rows for shapes of the query's model and targets if AITER's lookup finds no row for them. If
// the lookup finds a row by padded M, the shape gets no new row. The new row would hide the
// measured row. The time of an added row is inf, so that the row loses every merge and comparison.
// With a `manifest`, adds only rows of the manifest's kernels, with the manifest's kernel numbers.
// Errors: too_few_rows (a target has no written heuristic and too few rows to learn),
// unknown_model, those of core::ModelShapes, no_heuristic.
core::Result<Filled> Fill(RowSet& set, const TunedQuery& query, const Definitions& definitions,
                          Heuristics* heuristics, const core::Manifest* manifest);

}  // namespace tunehub::server
