// What tuning is worth, by what the registry has measured.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/analysis/speedups.h"
#include "core/shapes/shape.h"
#include "server/service/analysis/family_times.h"
#include "server/service/analysis/heuristics.h"
#include "server/service/analysis/model_shapes.h"
#include "server/service/registry/definitions.h"
#include "server/service/registry/snapshots.h"

namespace tunehub::service {

struct SpeedupQuery {
  std::vector<const core::Family*> families;  // that have times
  core::Target target;
  std::string model;     // "": any
  std::int64_t tp = 0;   // 0: any
  std::string campaign;  // "": any
};

struct SpeedupAnswer {
  analysis::SpeedupKeys keys;  // with more than one candidate measured
  // Tuned keys of which nothing else was measured: no baseline, and so in no figure. Not divided by
  // campaign.
  std::size_t tuned_alone = 0;
  std::vector<std::shared_ptr<const std::vector<analysis::SpeedupKey>>> held;  // what keys point to
};

class Speedups {
 public:
  Speedups(const Definitions& definitions, const Snapshots& snapshots, TimeTables& times,
           Heuristics& heuristics);

  // Throws Unavailable.
  SpeedupAnswer Get(const SpeedupQuery& query);

 private:
  // Of one family, as of the writes and the revision.
  struct Known {
    core::Pin writes, revision;
    std::shared_ptr<const std::vector<analysis::SpeedupKey>> keys;
  };
  // The models that ask for a shape without its M, by analysis::GroupOf.
  using ModelNames = std::map<std::string, std::vector<std::string>>;

  Known Find(const core::Family& family);
  std::shared_ptr<const std::vector<analysis::SpeedupKey>> Make(const core::Family& family,
                                                                const FamilyTimes& times);
  // Tuned keys that the query is about, whether or not anything else was measured.
  std::size_t CountTuned(const core::Family& family, const SpeedupQuery& query);
  const ModelNames& ModelsOf(const core::Family& family, const std::string& gfx);

  const Definitions& definitions_;
  const Snapshots& snapshots_;
  TimeTables& times_;
  Heuristics& heuristics_;
  std::mutex mutex_;
  std::map<std::int16_t, Known> known_;
  std::map<std::pair<std::int16_t, bool>, ModelNames> models_;  // by family, fnuz
};

}  // namespace tunehub::service
