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

#include "core/analysis/coverage.h"
#include "core/analysis/weighted_share.h"
#include "core/shapes/model.h"
#include "server/service/analysis/dispatch_tables.h"
#include "server/service/queue/demand_counts.h"
#include "server/service/registry/definitions.h"

namespace tunehub::service {

struct ModelPart {
  std::size_t model = 0;  // its place in the list of models
  analysis::WeightedShare share;
  analysis::WeightedShare plain;  // every bucket of M with the same weight
  analysis::Counts counts;
};
using ModelParts = std::vector<ModelPart>;  // of the models that ask the family, in their order

// What serving the model, split over `tp` GPUs and stored as it is, asks the table for on the
// target; nothing where it asks for nothing. `place`: in the list of models.
std::optional<ModelPart> PartOf(const core::Model& model, std::size_t place, std::int64_t tp,
                                const DispatchTable& table, const core::Targets& targets,
                                const core::Target& target, const DemandCounts::Counts& demand);

class ModelPartTables {
 public:
  ModelPartTables(const Definitions& definitions, store::Store& store, DispatchTables& tables)
      : definitions_(definitions), demand_(definitions, store), tables_(tables) {}

  // Of the models split over `tp` GPUs, stored as they are; one that cannot be split so asks
  // nothing. Made again where the family's rows of this gfx or the target's demand have changed.
  std::shared_ptr<const ModelParts> Of(const std::vector<core::Model>& models,
                                       const core::Family& family, const core::Target& target,
                                       std::int64_t tp);

 private:
  struct Known {
    core::Hash128 rows;
    std::shared_ptr<const DemandCounts::Counts> demand;
    std::shared_ptr<const ModelParts> parts;
  };

  ModelParts Make(const std::vector<core::Model>& models, const DispatchTable& table,
                  const core::Target& target, std::int64_t tp,
                  const DemandCounts::Counts& demand) const;

  const Definitions& definitions_;
  DemandCounts demand_;
  DispatchTables& tables_;
  std::mutex mutex_;  // also while they are made: who waits would make the same
  std::map<std::tuple<std::int16_t, std::string, int, std::int64_t>, Known> known_;
};

}  // namespace tunehub::service
