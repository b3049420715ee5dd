// A point of a state: by the same computation, whether it is that of now or one of the history.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "server/service/analysis/model_parts.h"
#include "server/service/trends/model_files.h"
#include "server/service/trends/registry_state.h"
#include "server/store/points/point_records.h"

namespace tunehub::service {

// Keeps what it has counted: of the next state only families and targets whose rows differ are
// counted again.
class PointMaker {
 public:
  PointMaker(const Definitions& definitions, store::Store& store)
      : definitions_(definitions), store_(store) {}

  // Whole and sorted. Throws Unavailable.
  store::PointRows Make(const ModelFiles& models, const RegistryState& state);

 private:
  struct Parts {
    std::optional<core::Hash128> rows;  // that they were counted in; nothing: not yet
    ModelParts parts;
  };

  void AddModels(const ModelFiles& models, const RegistryState& state, store::PointRows& point);
  const ModelParts& PartsOf(const ModelFiles& models, const DispatchTable& table,
                            const core::Target& target);
  const std::vector<store::PointFamily>& FiguresOf(const DispatchTable& table);

  const Definitions& definitions_;
  store::Store& store_;
  std::mutex mutex_;    // also while one is made: who waits would make the same
  std::string models_;  // the digest of those that `parts_` is of
  std::map<std::tuple<std::int16_t, std::string, int>, Parts> parts_;
  struct Figures {
    core::Pin revision;
    std::vector<store::PointFamily> rows;
  };
  std::map<std::int16_t, Figures> figures_;
};

}  // namespace tunehub::service
