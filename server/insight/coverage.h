// How much of what is asked for the served tables answer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/coverage.h"
#include "core/analysis/coverage_report.h"
#include "core/analysis/model_coverage.h"
#include "core/base/result.h"
#include "core/shapes/model.h"
#include "core/table/untuned_table.h"
#include "server/queue/missing.h"
#include "server/snapshots/dispatch_tables.h"
#include "server/tables/model_shapes.h"

namespace tunehub::server {

// The demand of a shape by what was counted: that of the shape that a lookup of it can use.
analysis::DemandOf DemandIn(const core::Family& family,
                            std::shared_ptr<const DemandCounts::Counts> counts);

// 0 where the family's rows have no CU count.
inline int CuNumIn(const core::Family& family, const core::Target& target) {
  return family.cu_num == core::kNoColumn ? 0 : target.cu_num;
}

// Families that are asked by a device's name have no target of their own: a name has several.
inline bool HasTargets(const core::Family& family) {
  return family.device == core::kNoColumn;
}

// A gfx and a CU count. Adds those of the rows that are served where nobody asks for a provider.
using TargetPlaces = std::set<std::pair<std::string, int>>;
void AddTargets(const FamilySnapshot& snapshot, TargetPlaces& targets);

// Whether a table of the family is of any use on the target: not where its arch lacks the
// precision.
bool CanRun(const core::Targets& targets, const FamilySnapshot& snapshot,
            const core::Target& target);

struct FamilyCoverage {
  std::shared_ptr<const DispatchTable> table;
  std::vector<core::ShapeDemand> shapes;
  analysis::Coverage coverage;
  analysis::PairLayers layers;

  const core::Family& family() const { return table->table.family(); }
};

// By the layers that read them: the tables of one model.
struct ModelAnswer {
  std::vector<FamilyCoverage> families;
  std::vector<analysis::UnreadLayer> unread;
  std::optional<analysis::BucketShare> share;  // of all tables; nothing: no engine reads them,
                                               // or how layers are stored is not known
};

class CoverageService {
 public:
  CoverageService(const Definitions& definitions, ConnectionPool& pool, DispatchTables& tables)
      : definitions_(definitions), demand_(definitions, pool), tables_(tables) {}

  // Of one family, as if the model asked it; or (null) of those that the request's engine reads:
  // one without a row is all that could be tuned. Without an engine, of each that the target can
  // run and that follows from a model's figures. Shapes have the demand that was counted for the
  // target. Errors: unknown_model, bad_tp, bad_grid, unsupported_family, no_experts, no_products.
  core::Result<ModelAnswer> OfModel(const ModelRequest& request, std::int64_t max_m,
                                    const core::Family* family, const core::Target& target);

  // Of shapes that somebody brings, their counts as demand. Error other_target, with the first row
  // that names one; no_shapes.
  core::Result<FamilyCoverage> OfShapes(const core::Family& family,
                                        const std::vector<core::UntunedRow>& rows,
                                        const core::Target& target);

  // As of the newest revision.
  bool CanRun(const core::Family& family, const core::Target& target);

 private:
  core::Result<FamilyCoverage> OfModelIn(const analysis::ModelQuestion& question,
                                         const core::Family& family, const core::Target& target);

  const Definitions& definitions_;
  DemandCounts demand_;
  DispatchTables& tables_;
};

}  // namespace tunehub::server
