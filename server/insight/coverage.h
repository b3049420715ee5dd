// How much of what is asked for the served tables answer.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/analysis/coverage.h"
#include "core/analysis/coverage_report.h"
#include "core/analysis/model_coverage.h"
#include "core/base/result.h"
#include "core/shapes/model.h"
#include "core/table/untuned_table.h"
#include "server/queue/demand_counts.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/dispatch_tables.h"
#include "server/tables/model_shapes.h"

namespace tunehub::server {

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
  // `of_any`: families that the model does not ask are left out.
  core::Status AddTables(const analysis::ModelQuestion& question,
                         const std::vector<const core::Family*>& asked, bool of_any,
                         const core::Target& target, ModelAnswer& answer);

  const Definitions& definitions_;
  DemandCounts demand_;
  DispatchTables& tables_;
};

// How much of what a known model asks a family for is tuned on a target.
struct ModelPart {
  std::size_t model = 0;  // its place in the list of models
  analysis::BucketShare share;
  analysis::UntunedWork untuned;
};
using ModelParts = std::vector<ModelPart>;  // of the models that ask the family, in their order

// Who serves the models, and on how many GPUs each.
struct ServedSplit {
  const core::EngineReads* engine = nullptr;  // null: every table that could be asked
  std::int64_t tp = 1;
};

// What serving the model, stored as it is, asks the table for on the target; nothing where it asks
// for nothing. `place`: in the list of models.
std::optional<ModelPart> PartOf(const core::Model& model, std::size_t place,
                                const ServedSplit& split, const DispatchTable& table,
                                const core::Targets& targets, const core::Target& target,
                                const analysis::DemandOf& demand);

class ModelPartTables {
 public:
  ModelPartTables(const Definitions& definitions, ConnectionPool& pool, DispatchTables& tables)
      : definitions_(definitions), demand_(definitions, pool), tables_(tables) {}

  // Of the models, stored as they are; one that cannot be split so asks nothing. Made again where
  // the family's rows of this gfx or the target's demand have changed.
  std::shared_ptr<const ModelParts> Of(const std::vector<core::Model>& models,
                                       const core::Family& family, const core::Target& target,
                                       const ServedSplit& split);

 private:
  struct Known {
    core::Hash128 rows;
    std::shared_ptr<const DemandCounts::Counts> demand;
    std::shared_ptr<const ModelParts> parts;
  };

  const Definitions& definitions_;
  DemandCounts demand_;
  DispatchTables& tables_;
  std::mutex mutex_;  // also while they are made: who waits would make the same
  std::map<std::tuple<std::int16_t, std::string, int, const core::EngineReads*, std::int64_t>,
           Known>
      known_;
};

struct CoveredModel {
  std::string model;
  std::string engine;  // the first that reads the table for it; "": none is known
  analysis::BucketShare share;
};

// Of the rows that one family has of one target.
struct TableCoverage {
  const core::Family* family = nullptr;
  core::Target target;
  core::Pin revision;
  std::vector<CoveredModel> models;  // those that ask the family, by name

  // Models of which every shape is covered.
  std::size_t covered() const;
};

class ModelCoverage {
 public:
  ModelCoverage(const Definitions& definitions, DispatchTables& tables)
      : definitions_(definitions), tables_(tables) {}

  // Of every table of `target` ("" and 0: of any) and `family` (null: of all) that an engine reads
  // for a known model split over `tp` GPUs, by family and target. A model that cannot be split so
  // asks none. Other tables are not counted.
  std::vector<TableCoverage> Of(std::int64_t tp, const core::Family* family,
                                const core::Target& target);

  std::size_t counted() const { return counted_; }  // tables, ever

 private:
  // Of one family, as of a table.
  struct Known {
    std::weak_ptr<const DispatchTable> table;  // whose rows it does not hold
    TargetPlaces targets;
    // By target and TP.
    std::map<std::tuple<std::string, int, std::int64_t>, TableCoverage> covered;
  };

  void AddTables(const core::Family& family, std::int64_t tp, const core::Target& target,
                 std::vector<TableCoverage>& to);
  std::vector<TableCoverage> Make(const DispatchTable& table,
                                  const std::vector<core::Target>& targets, std::int64_t tp) const;

  const Definitions& definitions_;
  DispatchTables& tables_;
  std::mutex mutex_;                     // also while one is made: who waits would make the same
  std::map<std::int16_t, Known> known_;  // by family
  std::atomic<std::size_t> counted_ = 0;
};

}  // namespace tunehub::server
