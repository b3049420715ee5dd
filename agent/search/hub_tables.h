// Reads the hub's rows of a family, and finds fast candidates of shapes near a given shape.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "agent/device/device.h"
#include "agent/hub/hub_client.h"
#include "agent/search/tuned_file.h"

namespace tunehub::agent {

// Candidates of one shape, the fastest first.
using Ranking = std::vector<Columns>;

// Ranks competing measurements by median.
Ranking RankingOf(const std::vector<Measurement>& measurements);

class Neighbours {
 public:
  // Fetches a shape's ranking. LikelyFor calls it at most once for each near shape.
  using Fetch = std::function<Ranking(const Columns& shape)>;

  // Adds the hub's winner of a shape. `fetch` gets the runners-up later, when LikelyFor needs them.
  void AddWinner(const Columns& shape, const Columns& winner);
  void SetFetch(Fetch fetch) { fetch_ = std::move(fetch); }
  // Adds this tuner's own ranking of a shape, which replaces the hub's.
  void Add(const Columns& shape, Ranking ranking);

  // Returns the candidates of the nearest shapes: the best of each neighbour, then the second best
  // of each neighbour, and so on. Empty if no shape is near.
  Ranking LikelyFor(const Columns& shape);

 private:
  struct Known {
    Columns shape;
    Ranking ranking;
    bool complete = false;  // true: `ranking` also contains the runners-up
  };
  Known* Find(const Columns& shape);
  static Ranking Interleaved(const std::vector<Known*>& nearest);

  Fetch fetch_;
  std::vector<Known> known_;
};

class HubTables {
 public:
  // All arguments must outlive this object.
  HubTables(HubClient& hub, const core::Family& family, const core::Targets& targets,
            const RetryPolicy& policy)
      : hub_(hub), family_(family), targets_(targets), policy_(policy) {}

  // The measured rows of `provider` ("aiter" or "tunehub") for `target`, or without `target` for
  // all targets. Leaves out shape keys for which only the default was measured. Empty if the hub
  // has no such rows. Errors: hub_unreachable, and the hub's refusals.
  core::Result<std::vector<TunedRow>> Tuned(const std::optional<core::Target>& target,
                                            const std::string& provider);
  // Returns every candidate ever measured for the shape key: the served candidate, then the others,
  // fastest first. Also empty if the hub fails, since the ranking only gives hints.
  Ranking Ranked(const core::Target& target, const Columns& shape);
  // True if the hub has a time of the default. False if it has none, or if the hub fails.
  bool HasDefault(const core::Target& target, const Columns& shape);

 private:
  // The hub's measurements of a shape key; null if the hub fails.
  nlohmann::json Measured(const core::Target& target, const Columns& shape);
  core::Result<std::string> Get(const std::string& path, const Parameters& parameters);

  HubClient& hub_;
  const core::Family& family_;
  const core::Targets& targets_;
  RetryPolicy policy_;
};

}  // namespace tunehub::agent
