// What to tune of a model on a target, and what it is worth.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/analysis/worth.h"
#include "server/service/analysis/coverage.h"
#include "server/service/analysis/timed_keys.h"
#include "server/service/queue/tuning_cost.h"
#include "server/service/registry/kept.h"

namespace tunehub::service {

struct WorthQuery {
  ModelRequest model;
  const core::Family* family = nullptr;  // null: each that the target can run
  JudgedTarget on;
};

struct FamilyEstimates {
  analysis::Estimates estimates;
};
std::size_t SizeOf(const FamilyEstimates& estimates);

struct FamilyWorth {
  const core::Family* family = nullptr;
  std::shared_ptr<const FamilyEstimates> known;  // what the groups point into
  std::size_t tuned = 0, with_default = 0;       // keys of the target; of these
  std::vector<std::string> columns;              // what makes a pair
  std::vector<std::vector<std::string>> pairs;
  std::vector<analysis::PairLayer> layers;  // by pair
  std::vector<analysis::WorthGroup> groups;
  // Shapes that find a tuned row of their own whose default nobody has measured.
  std::vector<core::FamilyShape> without_default;
};

struct CellWorth {
  core::Pin revision;
  std::vector<FamilyWorth> families;
};
std::size_t SizeOf(const CellWorth& worth);

class Worth {
 public:
  Worth(const Definitions& definitions, store::Store& store, const Snapshots& snapshots,
        CoverageService& coverage, Speedups& speedups);

  // As of the newest revision, writes and demand; while the database is gone as of the last ones.
  // Errors: those of CoverageService::OfModel. Throws Unavailable.
  core::Result<std::shared_ptr<const CellWorth>> Of(const WorthQuery& query);

  // What tuning a shape of each family costs, by its place; while the database is gone: nobody
  // says.
  std::vector<TuningCost> CostsOf(const CellWorth& worth, const core::Target& target);

 private:
  core::Result<CellWorth> Make(const WorthQuery& query, const std::string& state);
  FamilyWorth MakeFamily(FamilyCoverage& coverage, const WorthQuery& query,
                         const std::string& state);
  // Of the target's demand: two that have one text are the same.
  std::string DemandState(const core::Target& target);

  const Definitions& definitions_;
  store::Store& store_;
  const Snapshots& snapshots_;
  CoverageService& coverage_;
  Speedups& speedups_;
  Kept<FamilyEstimates> estimates_;
  Kept<CellWorth> cells_;
  std::mutex mutex_;
  std::map<std::string, std::string> demand_;  // the last known state, by target
};

}  // namespace tunehub::service
