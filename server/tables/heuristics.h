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

// Of the keys of a family with more than one candidate all that did not win, in the order of the
// CSV, their lines in the columns in force. Throws Unavailable.
void ForEachLoser(const Definitions& definitions, ConnectionPool& pool, FamilyVersions& versions,
                  const core::Family& family, TimesWanted wanted,
                  const std::function<void(const TimeRecord&)>& visit);

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
  Heuristics(const Definitions& definitions, ConnectionPool& pool, const Snapshots& snapshots,
             FamilyVersions& versions);

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

// Rows for what nobody has tuned. AITER has no hook for a heuristic: a row of the table is how one
// reaches it, and being named in the table that a build compiles is how its kernel gets there.
struct Filled {
  std::size_t rows = 0;
  std::size_t left_out = 0;  // of kernels that the build lacks
};

// Adds to what the query selected a row for each shape of its model, on each of its targets, for
// which AITER's lookup finds none, padded or not: a row beside a padded one would hide a measured
// time. Its time is inf, so that it loses every merge and every comparison. With a
// `manifest` only rows whose kernels are in it, under its own kernel numbers.
// Errors: too_few_rows (nothing is written down for a target, nor can be learned), unknown_model,
// those of core::ModelShapes, and no_heuristic where `heuristics` is null.
core::Result<Filled> Fill(RowSet& set, const TunedQuery& query, const Definitions& definitions,
                          Heuristics* heuristics, const core::Manifest* manifest);

}  // namespace tunehub::server
