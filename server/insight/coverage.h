// How much of the requested shapes the served tables cover.
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

// A model as it is served.
struct ModelRequest {
  std::string model;         // a name of core::FindModel
  std::int64_t tp = 1;       // GPUs that the model is split over
  std::string grid = "gl0";  // core/shapes/model_shapes.h
  std::string config = {};   // text of a config.json instead of a name; "": none
  core::ShapeOptions options = {};
  const core::EngineReads* engine =
      nullptr;            // the engine that serves it; null: consider all tables
  std::string rocm = {};  // the ROCm version; "": the newest
};

// Errors: those of core::FindModel; bad_model for a config.
core::Result<core::Model> ModelOf(const Definitions& definitions, const ModelRequest& request);

// A device's name in an engine's file names: the first alias if `asked` is a product, else `asked`
// unchanged. If `asked` is empty, the first alias of the target's first product. "": unknown.
std::string FileNameOf(const Definitions& definitions, const core::Target& target,
                       const std::string& asked);

// False for a family with a device column: a device name stands for several targets.
inline bool HasTargets(const core::Family& family) {
  return family.device == core::kNoColumn;
}

// True if a table of the family helps on the target: the target's arch has its precision.
bool CanRun(const core::Targets& targets, const FamilySnapshot& snapshot,
            const core::Target& target);

// A known model in its stored form, and the GPUs that it is split over.
struct SplitModel {
  core::Model model;
  std::int64_t tp = 1;
};
using SplitModels = std::vector<SplitModel>;
SplitModels KnownModelsAt(const Definitions& definitions, std::int64_t tp);

// The engines that serve the models, and the split.
struct ServedSplit {
  // For a model the first engine that reads the table counts. Null: no engine is known.
  std::vector<const core::EngineReads*> engines;
  std::int64_t tp = 0;  // 0: each model's own
};

// The tuned part of a known model's shapes in a family on a target.
struct ModelPart {
  std::size_t place = 0;  // index in the list of models
  std::string model;
  std::string engine;  // the engine that reads the table for the model; "": unknown
  analysis::BucketShare share;
  analysis::UntunedWork untuned;
};
using ModelParts = std::vector<ModelPart>;  // of models with shapes in the family, in their order

// Limit of cached combinations of family, target, engine and TP: a client may request many.
inline constexpr std::size_t kMostParts = 4096;
inline constexpr std::size_t kMostCovered = 1024;  // where an entry is of all engines

// Caches recently counted parts, without rows.
class ModelPartTables {
 public:
  using ReadModels = std::function<const SplitModels&()>;
  using Demand = std::shared_ptr<const DemandCounts::Counts>;

  explicit ModelPartTables(const Definitions& definitions, std::size_t most = kMostParts)
      : definitions_(definitions), most_(most) {}

  // Leaves out models that cannot be split that way. Recounts the parts, from `models()`, after a
  // change of the family's rows of this gfx or of the demand (null: none).
  std::shared_ptr<const ModelParts> Of(const DispatchTable& table, const core::Target& target,
                                       const ServedSplit& split, const ReadModels& models,
                                       const Demand& demand = nullptr);
  void Forget();  // call it when the models change

  std::size_t counted() const;  // tables counted since the start

 private:
  struct Known {
    core::Hash128 rows;
    Demand demand;
    std::shared_ptr<const ModelParts> parts;
  };

  const Definitions& definitions_;
  const std::size_t most_;
  mutable std::mutex mutex_;  // held while parts are made: threads that wait need these parts
  // By family, gfx, CU count, first engine's name, TP.
  std::map<std::tuple<std::int16_t, std::string, int, std::string, std::int64_t>, Known> known_;
  std::size_t counted_ = 0;
};

// Coverage of known models by one family's rows of one target.
struct TableCoverage {
  const core::Family* family = nullptr;
  core::Target target;
  core::Pin revision;
  std::shared_ptr<const ModelParts> models;  // models with shapes in the family, by name

  // Models with all shapes covered.
  std::size_t covered() const;
};

struct FamilyCoverage {
  std::shared_ptr<const DispatchTable> table;
  std::vector<core::ShapeDemand> shapes;
  analysis::Coverage coverage;
  analysis::PairLayers layers;

  const core::Family& family() const { return table->table.family(); }
};

// A model's tables, by the layers that read them.
struct ModelAnswer {
  core::Model model;
  std::vector<FamilyCoverage> families;
  std::vector<analysis::UnreadLayer> unread;
  std::optional<analysis::BucketShare>
      share;  // of all tables; absent: no engine reads them, or the storage of layers is unknown
};

class CoverageService {
 public:
  CoverageService(const Definitions& definitions, ConnectionPool& pool, DispatchTables& tables)
      : definitions_(definitions),
        demand_(definitions, pool),
        tables_(tables),
        parts_(definitions, kMostCovered) {}

  // Coverage by `family`, as if the model used it. If null, by the families that the request's
  // engine reads: a family without rows counts as untuned. Without an engine, by each family that
  // the target can run and whose shapes the model's figures determine. Shapes have the target's
  // counted demand. Errors: unknown_model, bad_tp, bad_grid, unsupported_family, no_experts,
  // no_products.
  core::Result<ModelAnswer> OfModel(const ModelRequest& request, std::int64_t max_m,
                                    const core::Family* family, const core::Target& target);
  // Only the shapes that OfModel looks up in one family, with their demand. Errors: as OfModel.
  core::Result<std::vector<core::ShapeDemand>> ShapesOf(const ModelRequest& request,
                                                        std::int64_t max_m,
                                                        const core::Family& family,
                                                        const core::Target& target);
  // By the family's newest table.
  FamilyCoverage Cover(const core::Family& family, std::vector<core::ShapeDemand> shapes,
                       const core::Target& target);

  // Coverage of given shapes, with their counts as demand. Errors: other_target, with the first row
  // of another target; no_shapes.
  core::Result<FamilyCoverage> OfShapes(const core::Family& family,
                                        const std::vector<core::UntunedRow>& rows,
                                        const core::Target& target);

  // For each table of `target` ("" and 0: any) and `family` (null: any): the known models whose
  // engine reads it, split over `tp` GPUs. Leaves out models that cannot be split that way, and
  // tables without models.
  std::vector<TableCoverage> OfKnown(std::int64_t tp, const core::Family* family,
                                     const core::Target& target);
  std::size_t counted() const { return parts_.counted(); }

  // By the newest revision.
  bool CanRun(const core::Family& family, const core::Target& target);

 private:
  // `of_any`: leaves out families without a shape of the model.
  core::Status AddTables(const analysis::ModelQuestion& question,
                         const std::vector<const core::Family*>& asked, bool of_any,
                         const core::Target& target, ModelAnswer& answer);
  core::Result<std::vector<core::ShapeDemand>> Ask(const analysis::ModelQuestion& question,
                                                   const core::Family& family,
                                                   const core::Target& target);

  const Definitions& definitions_;
  DemandCounts demand_;
  DispatchTables& tables_;
  ModelPartTables parts_;  // of known models, without demand
};

}  // namespace tunehub::server
