// How much of what is asked for the served tables answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
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

// Families that are asked by a device's name have no target of their own: a name has several.
inline bool HasTargets(const core::Family& family) {
  return family.device == core::kNoColumn;
}

// Whether a table of the family is of any use on the target: not where its arch lacks the
// precision.
bool CanRun(const core::Targets& targets, const FamilySnapshot& snapshot,
            const core::Target& target);

// A known model, stored as it is, and the GPUs that it is split over.
struct SplitModel {
  core::Model model;
  std::int64_t tp = 1;
};
using SplitModels = std::vector<SplitModel>;
SplitModels KnownModelsAt(const Definitions& definitions, std::int64_t tp);

// The engines that serve the models, and the split.
struct ServedSplit {
  // The first one that reads the table for a model counts. Null: every table that could be asked.
  std::vector<const core::EngineReads*> engines;
  std::int64_t tp = 0;  // 0: each model has its own
};

// How much of what a known model asks a family for is tuned on a target.
struct ModelPart {
  std::size_t place = 0;  // in the list of models
  std::string model;
  std::string engine;  // that reads the table for it; "": none is known
  analysis::BucketShare share;
  analysis::UntunedWork untuned;
};
using ModelParts = std::vector<ModelPart>;  // of the models that ask the family, in their order

// Families, targets, engines and TP sizes: enough for people, and a bound for a client that counts
// through them.
inline constexpr std::size_t kMostParts = 4096;
inline constexpr std::size_t kMostCovered = 1024;  // those of all engines

// Keeps the parts that were counted lately. It holds no rows.
class ModelPartTables {
 public:
  using ReadModels = std::function<const SplitModels&()>;
  using Demand = std::shared_ptr<const DemandCounts::Counts>;

  explicit ModelPartTables(const Definitions& definitions, std::size_t most = kMostParts)
      : definitions_(definitions), most_(most) {}

  // A model that cannot be split so asks nothing. The parts are made again, from `models()`, once
  // the family's rows of this gfx or the demand (null: none) are others.
  std::shared_ptr<const ModelParts> Of(const DispatchTable& table, const core::Target& target,
                                       const ServedSplit& split, const ReadModels& models,
                                       const Demand& demand = nullptr);
  void Forget();  // for other models

  std::size_t counted() const;  // tables, ever

 private:
  struct Known {
    core::Hash128 rows;
    Demand demand;
    std::shared_ptr<const ModelParts> parts;
  };

  const Definitions& definitions_;
  const std::size_t most_;
  mutable std::mutex mutex_;  // also while they are made: who waits would make the same
  // By family, target, the first engine's name and TP.
  std::map<std::tuple<std::int16_t, std::string, int, std::string, std::int64_t>, Known> known_;
  std::size_t counted_ = 0;
};

// Of the rows that one family has of one target.
struct TableCoverage {
  const core::Family* family = nullptr;
  core::Target target;
  core::Pin revision;
  std::shared_ptr<const ModelParts> models;  // those that ask the family, by name

  // Models of which every shape is covered.
  std::size_t covered() const;
};

struct FamilyCoverage {
  std::shared_ptr<const DispatchTable> table;
  std::vector<core::ShapeDemand> shapes;
  analysis::Coverage coverage;
  analysis::PairLayers layers;

  const core::Family& family() const { return table->table.family(); }
};

// By the layers that read them: the tables of one model.
struct ModelAnswer {
  core::Model model;
  std::vector<FamilyCoverage> families;
  std::vector<analysis::UnreadLayer> unread;
  std::optional<analysis::BucketShare> share;  // of all tables; nothing: no engine reads them,
                                               // or how layers are stored is not known
};

class CoverageService {
 public:
  CoverageService(const Definitions& definitions, ConnectionPool& pool, DispatchTables& tables)
      : definitions_(definitions),
        demand_(definitions, pool),
        tables_(tables),
        parts_(definitions, kMostCovered) {}

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

  // Of every table of `target` ("" and 0: of any) and `family` (null: of all) that an engine reads
  // for a known model split over `tp` GPUs, by family and target. A model that cannot be split so
  // asks none. Other tables are not counted.
  std::vector<TableCoverage> OfKnown(std::int64_t tp, const core::Family* family,
                                     const core::Target& target);
  std::size_t counted() const { return parts_.counted(); }

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
  ModelPartTables parts_;  // of the known models, without demand
};

}  // namespace tunehub::server
