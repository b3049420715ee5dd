// Speed-ups of tuned rows over their defaults, computed from the registry's measurements.
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

// The models that use each shape at any M, by the text of analysis::GroupOf.
struct ModelNames {
  std::map<std::string, std::vector<std::string>> names;

  // Returns the models that use the row's shape at any M, such as "qwen3-32b TP8". Null: no model.
  const std::vector<std::string>* Asking(const core::Family& family,
                                         const core::Cells& cells) const;
};
std::size_t SizeOf(const ModelNames& models);
// True if `names` contains `model` ("": any model) split over `tp` GPUs (0: any number). If `names`
// is null, the list is empty.
bool NamesModel(const std::vector<std::string>* names, std::string_view model, std::int64_t tp);

// A family's speed-ups, computed from its evidence at one revision.
struct FamilySpeedups {
  std::vector<analysis::SpeedupKey> keys;
  core::Texts texts;                                      // owns the keys' texts
  std::vector<std::shared_ptr<const ModelNames>> models;  // own the keys' models
};
std::size_t SizeOf(const FamilySpeedups& speedups);

struct SpeedupAnswer {
  analysis::SpeedupKeys keys;  // keys with more than one measured candidate
  // The number of tuned shape keys with a single measured candidate, without baselines. No other
  // figure includes these keys. The campaign filter does not apply to this number.
  std::size_t tuned_alone = 0;
  std::vector<std::shared_ptr<const FamilySpeedups>> held;  // own the keys
};

class Speedups {
 public:
  Speedups(const Definitions& definitions, ConnectionPool& pool, const Snapshots& snapshots,
           Heuristics& heuristics);

  // Estimates from memory how many rows Get would read for these families.
  std::size_t Cost(const std::vector<const core::Family*>& families);
  // Throws Unavailable.
  SpeedupAnswer Get(const SpeedupQuery& query);
  // Returns the models that use the family's shapes on a gfx. Computes the models once.
  using Models = std::shared_ptr<const ModelNames>;
  Models ModelsOf(const core::Family& family, const std::string& gfx);
  // True if the model ("": any), split over `tp` GPUs (0: any number), uses the row's shape.
  bool AsksFor(std::string_view model, std::int64_t tp, const core::Family& family,
               const TunedRow& row);

 private:
  std::shared_ptr<const FamilySpeedups> Find(const core::Family& family);
  FamilySpeedups Make(const FamilySnapshot& snapshot);
  // Counts tuned shape keys that match the query, with one or more measured candidates.
  std::size_t CountTuned(const core::Family& family, const SpeedupQuery& query);

  const Definitions& definitions_;
  ConnectionPool& pool_;
  const Snapshots& snapshots_;
  Heuristics& heuristics_;
  Kept<FamilySpeedups> families_;
  Kept<ModelNames> models_;
};

}  // namespace tunehub::server
