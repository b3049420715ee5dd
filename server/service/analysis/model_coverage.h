// How much of what the known models ask for each served table answers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/coverage.h"
#include "core/shapes/shape.h"
#include "server/service/analysis/dispatch_tables.h"
#include "server/service/registry/definitions.h"

namespace tunehub::service {

struct CoveredModel {
  std::string model;
  analysis::Headline headline;  // every bucket of M with the same weight
  analysis::Counts counts;
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

  // Of every table that a model of configs/models split over `tp` GPUs asks, by family and target.
  // A model that cannot be split so asks none.
  std::vector<TableCoverage> All(std::int64_t tp);

 private:
  using Tables = std::vector<TableCoverage>;
  // Of one family and tp, as of a table.
  struct Known {
    std::weak_ptr<const DispatchTable> table;  // whose rows it does not hold
    std::shared_ptr<const Tables> tables;
  };

  std::shared_ptr<const Tables> Find(const core::Family& family, std::int64_t tp);
  Tables Make(const DispatchTable& table, std::int64_t tp) const;

  const Definitions& definitions_;
  DispatchTables& tables_;
  std::mutex mutex_;  // also while one is made: who waits would make the same
  std::map<std::pair<std::int16_t, std::int64_t>, Known> known_;  // by family and tp
};

}  // namespace tunehub::service
