// Computes coverage: the share of the requested shapes for which the served tables have a tuned
// row.
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
#include "core/analysis/model_coverage.h"
#include "core/base/result.h"
#include "core/row/target.h"
#include "core/shapes/model.h"
#include "core/shapes/model_shapes.h"
#include "core/table/untuned_table.h"
#include "server/queue/demand_counts.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/dispatch_tables.h"

namespace tunehub::server {

// A model, and the settings with which an engine serves it.
struct ModelRequest {
  std::string model;         // a name that core::FindModel knows
  std::int64_t tp = 1;       // the number of GPUs over which the model is split
  std::string grid = "gl0";  // see core/shapes/model_shapes.h
  std::string config = {};   // text of a config.json instead of a name; "": none
  core::ShapeOptions options = {};
  const core::EngineReads* engine =
      nullptr;            // the engine that serves the model; null: all tables count
  std::string rocm = {};  // the ROCm version; "": the newest
};

// Errors: those of core::FindModel; bad_model for a config.
core::Result<core::Model> ModelOf(const Definitions& definitions, const ModelRequest& request);

// Returns a device's name in an engine's file names; "": unknown.
// - Empty `asked`: the first alias of the target's first product.
// - `asked` is a product: its first alias.
// - Otherwise: `asked`, unchanged.
std::string FileNameOf(const Definitions& definitions, const core::Target& target,
                       const std::string& asked);

// False for a family with a device column, because several targets share one device name.
inline bool HasTargets(const core::Family& family) {
  return family.device == core::kNoColumn;
}

// True if the target can run kernels of the family. For example, the target's architecture must
// have the family's precision.
bool CanRun(const core::Targets& targets, const FamilySnapshot& snapshot,
            const core::Target& target);

// A known model with its storage format, and the number of GPUs over which it is split.
struct SplitModel {
  core::Model model;
  std::int64_t tp = 1;
};
using SplitModels = std::vector<SplitModel>;
SplitModels KnownModelsAt(const Definitions& definitions, std::int64_t tp);

// The engines that serve the models, and the split.
struct ServedSplit {
  // The engines in order: for each model, the first engine that reads the table counts. A null
  // entry means that no engine is known.
  std::vector<const core::EngineReads*> engines;
  std::int64_t tp = 0;  // 0: each model's own TP
};

// A known model's shapes in a family on a target, and how many are tuned.
struct ModelPart {
  std::size_t place = 0;  // index in the list of models
  std::string model;
  std::string engine;  // the engine that reads the table for the model; "": unknown
  analysis::BucketShare share;
  analysis::UntunedWork untuned;
};
using ModelParts = std::vector<ModelPart>;  // only models with shapes in the family, by place

// Limit of cached combinations of family, target, engine and TP, because a client may request many.
inline constexpr std::size_t kMostParts = 4096;
inline constexpr std::size_t kMostCovered = 1024;  // if an entry covers all engines

// Caches recent counts. Keeps no rows in memory.
class ModelPartTables {
 public:
  using ReadModels = std::function<const SplitModels&()>;
  using Demand = std::shared_ptr<const DemandCounts::Counts>;

  explicit ModelPartTables(const Definitions& definitions, std::size_t most = kMostParts)
      : definitions_(definitions), most_(most) {}

  // Leaves out models that cannot be split over `split.tp` GPUs. Counts the models from `models()`
  // again if the family's rows of this gfx, or the demand, have changed. `demand` null: no demand.
  std::shared_ptr<const ModelParts> Of(const DispatchTable& table, const core::Target& target,
                                       const ServedSplit& split, const ReadModels& models,
                                       const Demand& demand = nullptr);
  void Forget();  // call it when the models change

  std::size_t counted() const;  // number of tables counted since the start

 private:
  struct Known {
    core::Hash128 rows;
    Demand demand;
    std::shared_ptr<const ModelParts> parts;
  };

  const Definitions& definitions_;
  const std::size_t most_;
  mutable std::mutex mutex_;  // locked during a count: waiting threads need the result
  // The keys are family, gfx, CU count, name of the first engine, TP.
  std::map<std::tuple<std::int16_t, std::string, int, std::string, std::int64_t>, Known> known_;
  std::size_t counted_ = 0;
};

// Coverage of known models by one family's rows of one target.
struct TableCoverage {
  const core::Family* family = nullptr;
  core::Target target;
  core::Pin revision;
  std::shared_ptr<const ModelParts> models;  // models with shapes in the family, by name

  // Returns the number of models whose shapes are all covered.
  std::size_t covered() const;
};

struct FamilyCoverage {
  std::shared_ptr<const DispatchTable> table;
  std::vector<core::ShapeDemand> shapes;
  analysis::Coverage coverage;
  analysis::PairLayers layers;

  const core::Family& family() const { return table->table.family(); }
};

// A model's coverage by each table, with the layers that read it.
struct ModelAnswer {
  core::Model model;
  core::ProductPlan plan;  // the products of ShapeDemand::products
  // Notes on the model, on the split, and on the top-k with which the engine looks up the tables.
  std::vector<core::SplitFinding> findings;
  std::vector<FamilyCoverage> families;
  std::vector<analysis::UnreadLayer> unread;
  // The share over all tables of the engine. Absent if the request names no engine, if it names a
  // family, or if the storage of some layers is unknown.
  std::optional<analysis::BucketShare> share;
};

// Returns the rows of a family that a coverage judges. Empty: the newest served rows.
using TableOf = std::function<std::shared_ptr<const DispatchTable>(const core::Family&)>;

class CoverageService {
 public:
  CoverageService(const Definitions& definitions, ConnectionPool& pool, DispatchTables& tables)
      : definitions_(definitions),
        demand_(definitions, pool),
        tables_(tables),
        parts_(definitions, kMostCovered) {}

  // Coverage by these families:
  // - If `family` is not null: this family, as if the model used it.
  // - With an engine: the families whose tables the engine reads. A family without rows counts as
  //   untuned.
  // - Otherwise: each family that the target can run, if the model's figures determine its shapes.
  // Each shape has the target's demand as a weight. Errors: unknown_model, bad_tp, bad_grid,
  // unsupported_family, no_experts, no_products.
  core::Result<ModelAnswer> OfModel(const ModelRequest& request, std::int64_t max_m,
                                    const core::Family* family, const core::Target& target,
                                    const TableOf& rows = {});
  // Returns only the shapes that OfModel looks up in one family, with their demand. Errors: those
  // of OfModel.
  core::Result<std::vector<core::ShapeDemand>> ShapesOf(const ModelRequest& request,
                                                        std::int64_t max_m,
                                                        const core::Family& family,
                                                        const core::Target& target);
  // Returns the coverage of `shapes` by the family's newest table.
  FamilyCoverage Cover(const core::Family& family, std::vector<core::ShapeDemand> shapes,
                       const core::Target& target);

  // Returns the coverage of given shapes, with their counts as demand. Errors: other_target, with
  // the first row of another target; no_shapes.
  core::Result<FamilyCoverage> OfShapes(const core::Family& family,
                                        const std::vector<core::UntunedRow>& rows,
                                        const core::Target& target);

  // Lists the tables of `target` ("" and 0: any) and `family` (null: any). Each table has the known
  // models whose engine reads the table, split over `tp` GPUs. Leaves out models that cannot be
  // split over `tp` GPUs, and tables without models.
  std::vector<TableCoverage> OfKnown(std::int64_t tp, const core::Family* family,
                                     const core::Target& target);
  std::size_t counted() const { return parts_.counted(); }

  // Does the same as server::CanRun, with the newest revision.
  bool CanRun(const core::Family& family, const core::Target& target);

 private:
  // `of_any`: true to leave out families without a shape of the model.
  core::Status AddTables(const analysis::ModelQuestion& question,
                         const std::vector<const core::Family*>& asked, bool of_any,
                         const core::Target& target, const TableOf& rows, ModelAnswer& answer);
  core::Result<std::vector<core::ShapeDemand>> Ask(const analysis::ModelQuestion& question,
                                                   const core::Family& family,
                                                   const core::Target& target);

  const Definitions& definitions_;
  DemandCounts demand_;
  DispatchTables& tables_;
  ModelPartTables parts_;  // parts of known models, without demand
};

}  // namespace tunehub::server
