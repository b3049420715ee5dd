// Two runs, or the runs of two environments, key by key.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/compare.h"
#include "core/base/result.h"
#include "core/shapes/shape.h"
#include "server/service/registry/definitions.h"
#include "server/service/registry/lines.h"
#include "server/store/store.h"

namespace tunehub::service {

// An environment has at most as many runs: more are no side of a comparison but the registry.
inline constexpr std::size_t kMostRuns = 256;

// Candidates of a side, each on its key: more than these are no answer for anybody to look at.
inline constexpr std::size_t kMostCompared = 250'000;

// "12,13": runs. "rocm:7.0.1,aiter:abc": the runs in force whose provenance says so.
struct SideQuery {
  std::vector<std::int64_t> runs;
  std::vector<std::pair<std::string, std::string>> environment;
};

// Error bad_parameter, with `name` and what is allowed.
core::Result<SideQuery> ParseSide(std::string_view name, std::string_view text);

struct Sides {
  analysis::Side base, head;
};

class Comparisons {
 public:
  Comparisons(const Definitions& definitions, store::Store& store, FamilyVersions& versions)
      : definitions_(definitions), store_(store), versions_(versions) {}

  // The times of `families` on `target` (all where it says nothing). Errors: unknown_run, no_runs,
  // too_many_runs, too_many_compared (more than kMostCompared).
  // Throws Unavailable.
  core::Result<Sides> Read(const SideQuery& base, const SideQuery& head,
                           const std::vector<const core::Family*>& families,
                           const core::Target& target);

 private:
  core::Result<std::vector<store::RunRecord>> FindRuns(const SideQuery& query);
  core::Result<analysis::Side> ReadSide(const SideQuery& query,
                                        const std::vector<const core::Family*>& families,
                                        const core::Target& target);
  core::Status AddTimes(const core::Family& family, const std::vector<std::int64_t>& runs,
                        const core::Target& target, bool named, analysis::Side& side);

  const Definitions& definitions_;
  store::Store& store_;
  FamilyVersions& versions_;
};

}  // namespace tunehub::service
