#pragma once

#include <functional>

namespace tunehub::agent::tuning {

struct SearchOptions {
  double error_limit = 0.05;  // share of wrong elements above which a candidate is never timed
  int warmup = 2;             // untimed calls before the second phase
  int rounds = 20;            // samples of each finalist that stays to the end
  // Every candidate gets all its rounds: no hints, no leaving early. Dear, and what the two phases
  // are judged by.
  bool exhaustive = false;
  // A challenger must be faster than the incumbent by more than this.
  double min_improvement_pct = 0.5;
  double sample_us = 1000;  // a sample lasts at least so long: shorter ones measure the clock
  // Asked between candidates and between rounds; true ends the search with `stopped`.
  std::function<bool()> stop;
};

}  // namespace tunehub::agent::tuning
