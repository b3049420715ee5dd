// What the hub knows of a family, and what was fast on the shapes near one.
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

// Of what competes, by median.
Ranking RankingOf(const std::vector<Measurement>& measurements);

class Neighbours {
 public:
  // Asked once per shape that the registry has tuned and that turns out to be near.
  using Fetch = std::function<Ranking(const Columns& shape)>;

  // The registry's winner of a shape; its runners-up come from `fetch` when they are wanted.
  void AddWinner(const Columns& shape, const Columns& winner);
  void SetFetch(Fetch fetch) { fetch_ = std::move(fetch); }
  // What this very tuner measured, which replaces what the registry said.
  void Add(const Columns& shape, Ranking ranking);

  // The candidates of the nearest shapes: the best of each, then the second of each, and so on.
  // Nothing where no shape is near.
  Ranking LikelyFor(const Columns& shape);

 private:
  struct Known {
    Columns shape;
    Ranking ranking;
    bool complete = false;  // not only the winner
  };
  Known* Find(const Columns& shape);
  static Ranking Interleaved(const std::vector<Known*>& nearest);

  Fetch fetch_;
  std::vector<Known> known_;
};

class HubTables {
 public:
  // All must outlive it.
  HubTables(HubClient& hub, const core::Family& family, const core::Targets& targets,
            const RetryPolicy& policy)
      : hub_(hub), family_(family), targets_(targets), policy_(policy) {}

  // The tuned rows of `target`, by `provider` ("aiter", "tunehub"): measured ones, without those
  // keys of which only the default was. Without a target those of all. None where the hub has none.
  // Errors: hub_unreachable, and what the hub refuses.
  core::Result<std::vector<TunedRow>> Tuned(const std::optional<core::Target>& target,
                                            const std::string& provider);
  // Every candidate that was ever measured for the key, the fastest first; empty also where the hub
  // fails: hints are not worth an error.
  Ranking Ranked(const core::Target& target, const Columns& shape);
  // Whether somebody measured what runs untuned; false also where the hub fails.
  bool HasDefault(const core::Target& target, const Columns& shape);

 private:
  // The measurements of a key as the hub lists them; none where it fails.
  nlohmann::json Measured(const core::Target& target, const Columns& shape);
  core::Result<std::string> Get(const std::string& path, const Parameters& parameters);

  HubClient& hub_;
  const core::Family& family_;
  const core::Targets& targets_;
  RetryPolicy policy_;
};

}  // namespace tunehub::agent
