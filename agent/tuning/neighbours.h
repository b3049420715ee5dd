// What was fast on shapes like this one.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "agent/tuning/device/candidate.h"
#include "agent/tuning/device/measurement.h"

namespace tunehub::agent::tuning {

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

}  // namespace tunehub::agent::tuning
