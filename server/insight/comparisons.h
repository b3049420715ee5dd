// Two runs, or the runs of two environments, key by key: read once, and kept for whoever looks at
// other keys of the same comparison, or at these by other limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/compare.h"
#include "core/base/result.h"
#include "core/family/family.h"
#include "core/row/target.h"
#include "server/db/connection_pool.h"
#include "server/ingest/batch_records.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/kept.h"

namespace tunehub::server {

// What people call a row's kernel: the names in it, one after the other.
inline std::string KernelOf(const core::Family& family, const core::Cells& cells) {
  std::string kernel;
  for (std::size_t i : family.kernel_columns) {
    if (!cells[i].empty()) kernel += (kernel.empty() ? "" : " + ") + std::string(cells[i]);
  }
  return kernel;
}

using ComparedFamilies = std::vector<const core::Family*>;

// An environment has at most as many runs: more are no side of a comparison but the registry.
inline constexpr std::size_t kMostRuns = 256;

// The runs of one side of a comparison, by their numbers, or by what they were measured with.
// "12,13": runs. "rocm:7.0.1,aiter:abc": the runs in force whose provenance says so.
struct SideQuery {
  std::vector<std::int64_t> runs;
  std::vector<std::pair<std::string, std::string>> environment;
};

// Error bad_parameter, with `name` and what is allowed.
core::Result<SideQuery> ParseSide(std::string_view name, std::string_view text);

// The facts that a run says of itself, in its JSON.
analysis::Environment EnvironmentOf(const std::string& provenance);

// Candidates of a side, each on its key: more than these are no answer for anybody to look at.
inline constexpr std::size_t kMostCompared = 250'000;

struct CompareQuery {
  SideQuery base, head;
  ComparedFamilies families;
  core::Target target;  // all where it says nothing
  analysis::CompareLimits limits;
  // Every family that a comparison without a filter has: where that one is kept, it has the answer.
  ComparedFamilies among = {};
};

class Comparisons {
 public:
  using Comparison = std::shared_ptr<const analysis::Comparison>;

  Comparisons(const Definitions& definitions, ConnectionPool& pool, FamilyVersions& versions);

  // Of what the runs have now. Errors: unknown_run, no_runs, too_many_runs, too_many_compared (more
  // than kMostCompared), no_common_key. Throws Unavailable.
  core::Result<Comparison> Get(const CompareQuery& query);

 private:
  using Runs = std::vector<RunRecord>;

  // Which runs, and what they have: equal for two calls only if nothing changed between them.
  std::string StateOf(const Runs& base, const Runs& head);
  core::Result<analysis::Comparison> Make(const Runs& base, const Runs& head,
                                          const CompareQuery& query);
  core::Result<analysis::Side> ReadSide(const Runs& runs, const CompareQuery& query);

  const Definitions& definitions_;
  ConnectionPool& pool_;
  FamilyVersions& versions_;
  Kept<analysis::Comparison> kept_;
};

}  // namespace tunehub::server
