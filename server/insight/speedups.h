// What tuning is worth, by what the registry has measured.
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
  std::vector<const core::Family*> families;  // that have times
  core::Target target = {};
  std::string model = {};     // "": any
  std::int64_t tp = 0;        // 0: any
  std::string campaign = {};  // "": any
};

// The models that ask for a shape without its M, by analysis::GroupOf.
struct ModelNames {
  std::map<std::string, std::vector<std::string>> names;

  // "qwen3-32b TP8": whose serving asks for the shape of a row, at any M; null: nobody's.
  const std::vector<std::string>* Asking(const core::Family& family,
                                         const core::Cells& cells) const;
};
std::size_t SizeOf(const ModelNames& models);
// Whether `model` ("": any) is among these, split over `tp` GPUs (0: any number); null: nobody
// asks.
bool NamesModel(const std::vector<std::string>* names, std::string_view model, std::int64_t tp);

// Of one family, as of the writes and the revision.
struct FamilySpeedups {
  std::vector<analysis::SpeedupKey> keys;
  core::Texts texts;                                      // what the keys view
  std::vector<std::shared_ptr<const ModelNames>> models;  // what they point to
};
std::size_t SizeOf(const FamilySpeedups& speedups);

struct SpeedupAnswer {
  analysis::SpeedupKeys keys;  // with more than one candidate measured
  // Tuned keys of which nothing else was measured: no baseline, and so in no figure. Not divided by
  // campaign.
  std::size_t tuned_alone = 0;
  std::vector<std::shared_ptr<const FamilySpeedups>> held;  // what keys point to
};

class Speedups {
 public:
  Speedups(const Definitions& definitions, ConnectionPool& pool, const Snapshots& snapshots,
           Heuristics& heuristics);

  // Throws Unavailable.
  SpeedupAnswer Get(const SpeedupQuery& query);
  // Which models ask for what of a family on a gfx: read once.
  using Models = std::shared_ptr<const ModelNames>;
  Models ModelsOf(const core::Family& family, const std::string& gfx);
  // Whether serving the model ("": any) over `tp` GPUs (0: any number) asks for the row's shape.
  bool AsksFor(std::string_view model, std::int64_t tp, const core::Family& family,
               const TunedRow& row);

 private:
  std::shared_ptr<const FamilySpeedups> Find(const core::Family& family);
  FamilySpeedups Make(const FamilySnapshot& snapshot);
  // Tuned keys that the query is about, whether or not anything else was measured.
  std::size_t CountTuned(const core::Family& family, const SpeedupQuery& query);

  const Definitions& definitions_;
  ConnectionPool& pool_;
  const Snapshots& snapshots_;
  Heuristics& heuristics_;
  Kept<FamilySpeedups> families_;
  Kept<ModelNames> models_;
};

}  // namespace tunehub::server
