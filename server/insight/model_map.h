// A model's map: each layer at each M, with the row that a lookup finds and its times.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/hash.h"
#include "core/base/pin.h"
#include "core/base/result.h"
#include "core/family/targets.h"
#include "server/insight/coverage.h"
#include "server/insight/overview.h"
#include "server/insight/speedups.h"
#include "server/snapshots/kept.h"

namespace tunehub::server {

struct MapQuestion {
  ModelRequest model;
  core::Target target;
  // The roofline's product; null: the slowest product of the target.
  const core::Device* product = nullptr;
  // Judges only rows that the runs of this product measured; null: the served rows.
  const core::Device* own = nullptr;
};

// The measured times of defaults, by shape key. Leaves out times of whole operators, because served
// times are those of kernels.
using DefaultTimes = std::unordered_map<core::Hash128, double, core::Hash128Hasher>;
DefaultTimes DefaultTimesOf(Speedups& speedups, const core::Family& family,
                            const core::Target& target);

// A layer's matrix product in one table. Products with one name and one shape count as one layer.
struct MapLayer {
  std::string name;
  std::int64_t count = 0;             // matrix products in one forward pass on one GPU
  double flops = 0;                   // for one token on one GPU, over all of them
  std::size_t shape = 0;              // index into FamilyCoverage::shapes: one of its shapes
  std::vector<std::size_t> products;  // indices into ProductPlan::products
  std::vector<std::size_t> cells;     // indices into Coverage::shapes, by M
};
std::vector<MapLayer> MapLayersOf(const FamilyCoverage& table, const core::ProductPlan& plan);

struct MapAnswer {
  core::Pin revision;
  std::string json;
};
std::size_t SizeOf(const MapAnswer& answer);

class ModelMaps {
 public:
  ModelMaps(const Definitions& definitions, ConnectionPool& pool, const Snapshots& snapshots,
            FamilyVersions& versions, CoverageService& coverage, Speedups& speedups,
            Overview& overview);

  // Caches the answer for a minute, because demand changes without a new revision. Errors: those of
  // CoverageService::OfModel. Throws Unavailable.
  core::Result<std::shared_ptr<const MapAnswer>> Get(const MapQuestion& question);

 private:
  core::Result<MapAnswer> Make(const MapQuestion& question);
  // The rows that runs of the product measured.
  std::shared_ptr<const DispatchTable> OwnRows(const core::Family& family,
                                               const core::Device& product);

  const Definitions& definitions_;
  ConnectionPool& pool_;
  const Snapshots& snapshots_;
  FamilyVersions& versions_;
  CoverageService& coverage_;
  Speedups& speedups_;
  Overview& overview_;
  Kept<MapAnswer> made_;
};

}  // namespace tunehub::server
