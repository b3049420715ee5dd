// How much faster tuning made calls, by the registry's measurements.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/speedups.h"
#include "core/base/byte_words.h"
#include "core/shapes/shape.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/kept.h"
#include "server/snapshots/snapshot.h"
#include "server/snapshots/snapshots.h"
#include "server/tables/heuristics.h"
#include "server/tables/measurement_store.h"

namespace tunehub::server {

struct SpeedupQuery {
  std::vector<const core::Family*> families;  // families with times
  core::Target target = {};
  std::string model = {};     // "": any
  std::int64_t tp = 0;        // 0: any
  std::string campaign = {};  // "": any
};

// The models that use a shape at any M, by analysis::GroupOf.
struct ModelNames {
  std::map<std::string, std::vector<std::string>> names;

  // The models, as "qwen3-32b TP8", that use the row's shape at any M; null: none.
  const std::vector<std::string>* Asking(const core::Family& family,
                                         const core::Cells& cells) const;
};
std::size_t SizeOf(const ModelNames& models);
// True if `names` has `model` ("": any) split over `tp` GPUs (0: any number). Null: no names.
bool NamesModel(const std::vector<std::string>* names, std::string_view model, std::int64_t tp);

// A family's speed-ups by its evidence at a revision.
struct FamilySpeedups {
  std::vector<analysis::SpeedupKey> keys;
  core::Texts texts;                                      // owner of the keys' texts
  std::vector<std::shared_ptr<const ModelNames>> models;  // owners of the keys' models
};
std::size_t SizeOf(const FamilySpeedups& speedups);

struct SpeedupAnswer {
  analysis::SpeedupKeys keys;  // with more than one measured candidate
  // Tuned shape keys with a single measured candidate and no baseline. No figure contains them, and
  // they are not split by campaign.
  std::size_t tuned_alone = 0;
  std::vector<std::shared_ptr<const FamilySpeedups>> held;  // owners of the keys
};

class Speedups {
 public:
  Speedups(const Definitions& definitions, ConnectionPool& pool, const Snapshots& snapshots,
           Heuristics& heuristics);

  // The rows that Get would read of these families. From memory only.
  std::size_t Cost(const std::vector<const core::Family*>& families);
  // Throws Unavailable.
  SpeedupAnswer Get(const SpeedupQuery& query);
  // The models that use the family's shapes on a gfx; read once.
  using Models = std::shared_ptr<const ModelNames>;
  Models ModelsOf(const core::Family& family, const std::string& gfx);
  // True if the model ("": any) over `tp` GPUs (0: any number) uses the row's shape.
  bool AsksFor(std::string_view model, std::int64_t tp, const core::Family& family,
               const TunedRow& row);

 private:
  std::shared_ptr<const FamilySpeedups> Find(const core::Family& family);
  FamilySpeedups Make(const FamilySnapshot& snapshot);
  // Tuned shape keys of the query, with one or more measured candidates.
  std::size_t CountTuned(const core::Family& family, const SpeedupQuery& query);

  const Definitions& definitions_;
  ConnectionPool& pool_;
  const Snapshots& snapshots_;
  Heuristics& heuristics_;
  Kept<FamilySpeedups> families_;
  Kept<ModelNames> models_;
};

}  // namespace tunehub::server
