// How much of what the known models ask for each served table answers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/analysis/coverage.h"
#include "core/shapes/shape.h"
#include "server/service/analysis/dispatch_tables.h"
#include "server/service/registry/definitions.h"

namespace tunehub::service {

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

}  // namespace tunehub::service
