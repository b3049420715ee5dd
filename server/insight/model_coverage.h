// How much of what the known models ask for each served table answers.
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
#include "core/analysis/model_coverage.h"
#include "core/shapes/model.h"
#include "core/shapes/shape.h"
#include "server/queue/missing.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/dispatch_tables.h"

namespace tunehub::server {

// How much of what each known model asks a family for is tuned on a target.

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
    std::set<std::pair<std::string, int>> targets;
    std::map<std::tuple<std::string, int, std::int64_t>, TableCoverage>
        covered;  // by target and TP
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
