// What of a shape is screened, and the second phase: the best, measured one after the other in
// rounds.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "agent/device/device.h"
#include "agent/device/measurement.h"

namespace tunehub::agent {

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

// What is known before a shape is tuned.
struct Hints {
  // What was fast on neighbours, the likeliest first.
  std::vector<Columns> likely;
  // What the registry serves for this very shape.
  std::optional<Columns> incumbent;
};

// Without hints a plan is every candidate. With them it is the likely ones, then whatever differs
// least from the best so far, until the budget is spent.
class Plan {
 public:
  // `cut` false: every candidate, the likely ones first.
  Plan(const Offer& offer, const Hints& hints, bool cut);

  // The next to screen; nothing where the plan is done. `measured` holds, by candidate, what was
  // screened so far.
  std::optional<std::size_t> Next(const std::vector<std::optional<Measurement>>& measured);

 private:
  void Queue(std::size_t candidate);
  // The one that differs least from the best of `measured`; nothing where all are queued.
  std::optional<std::size_t> Nearest(const std::vector<std::optional<Measurement>>& measured) const;

  const Offer& offer_;
  std::vector<std::size_t> queue_;
  std::vector<bool> queued_;
  std::size_t next_ = 0;
  std::size_t budget_;
};

// By candidate of the offer; nothing: not measured.
using Measured = std::vector<std::optional<Measurement>>;

// How many calls make a sample of at least `sample_us`.
int CallsFor(double call_us, double sample_us);

// Whether `error` is the candidate's own affair, which the measurement then says; any other ends
// the search.
bool TakesBlame(const core::Error& error, Measurement& measurement);

// The best three by what was screened, whatever else is within 10 % of the best, and the incumbent;
// or everything that competes.
std::vector<std::size_t> Finalists(const Measured& measured,
                                   const std::optional<Columns>& incumbent, bool all);

// Replaces the finalists' samples by those of the rounds: what was screened alone is no fair sample
// beside them. A finalist that can no longer win leaves early; a round during which the clock
// drifted is held again; a disturbance begins all of them anew.
// Errors: stopped, no_device.
core::Status RunRounds(TuningDevice& device, const SearchOptions& options,
                       const std::vector<std::size_t>& finalists, Measured& measured);

}  // namespace tunehub::agent
