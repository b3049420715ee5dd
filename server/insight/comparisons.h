// Compares two runs, or the runs of two environments, by shape key. Caches comparisons, so that a
// request for other shape keys or limits does not read the rows again.
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

// Returns the kernel's name for display: all kernel names of the row, joined by " + ".
inline std::string KernelOf(const core::Family& family, const core::Cells& cells) {
  std::string kernel;
  for (std::size_t i : family.kernel_columns) {
    if (!cells[i].empty()) kernel += (kernel.empty() ? "" : " + ") + std::string(cells[i]);
  }
  return kernel;
}

using ComparedFamilies = std::vector<const core::Family*>;

// The most runs of one side of a comparison. More runs would be most of the registry.
inline constexpr std::size_t kMostRuns = 256;

// Selects the runs of one side. "12,13" are runs. "rocm:7.0.1,aiter:abc" selects active runs with
// this provenance.
struct SideQuery {
  std::vector<std::int64_t> runs;
  std::vector<std::pair<std::string, std::string>> environment;
};

// Errors: bad_parameter, with `name` and the allowed values.
core::Result<SideQuery> ParseSide(std::string_view name, std::string_view text);

// Returns the facts in a run's JSON.
analysis::Environment EnvironmentOf(const std::string& provenance);

// The most candidates of one side of a comparison, summed over its shape keys.
inline constexpr std::size_t kMostCompared = 250'000;

struct CompareQuery {
  SideQuery base, head;
  ComparedFamilies families;
  core::Target target;  // empty: all
  analysis::CompareLimits limits;
  // The families of an unfiltered comparison. If the unfiltered comparison is cached, Get narrows
  // it instead of computing a new one.
  ComparedFamilies among = {};
};

class Comparisons {
 public:
  using Comparison = std::shared_ptr<const analysis::Comparison>;

  Comparisons(const Definitions& definitions, ConnectionPool& pool, FamilyVersions& versions);

  // Compares the runs' current rows. Errors: unknown_run, no_runs, too_many_runs, too_many_compared
  // (more than kMostCompared), no_common_key. Throws Unavailable.
  core::Result<Comparison> Get(const CompareQuery& query);

 private:
  using Runs = std::vector<RunRecord>;

  // Returns a text that identifies the state of the runs and their rows. Two calls return equal
  // texts only if nothing has changed between them.
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
