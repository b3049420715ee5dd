// How much of what each known model asks a family for is tuned on a target.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/analysis/model_coverage.h"
#include "core/shapes/model.h"
#include "server/service/analysis/dispatch_tables.h"
#include "server/service/queue/demand_counts.h"
#include "server/service/registry/definitions.h"

namespace tunehub::service {

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
  ModelPartTables(const Definitions& definitions, store::Store& store, DispatchTables& tables)
      : definitions_(definitions), demand_(definitions, store), tables_(tables) {}

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

}  // namespace tunehub::service
