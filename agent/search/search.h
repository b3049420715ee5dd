// Two phases: every candidate of the plan is screened briefly, then the best are measured again,
// one after the other in rounds, so that a drifting clock meets all of them alike.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "agent/device/device.h"

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

// The one to use of `measurements`: by median; within 1 % of the fastest the smaller split along K;
// the incumbent unless it is slower than that by more than `min_improvement_pct`.
std::optional<std::size_t> Choose(const std::vector<Measurement>& measurements,
                                  const std::optional<Columns>& incumbent,
                                  double min_improvement_pct);

struct ShapeResult {
  std::vector<Measurement> measurements;  // of what was screened, in the order screened
  std::optional<std::size_t> winner;      // into measurements
  std::optional<std::size_t> fallback;    // the untuned choice, into measurements
  std::size_t offered = 0;                // candidates that there are
};

class Search {
 public:
  // Told of every candidate that was screened; an error ends the search.
  using Screened = std::function<core::Status(const Measurement&)>;

  Search(TuningDevice& device, const SearchOptions& options, Screened screened)
      : device_(device), options_(options), screened_(std::move(screened)) {}

  // Precondition: the device has prepared the shape and made this offer. `known`: what an earlier
  // start of this search has screened. Errors: stopped, no_device, those of `screened`.
  core::Result<ShapeResult> Run(const Offer& offer, const Hints& hints,
                                const std::vector<Measurement>& known);

  // All of `chosen` in rounds, screened or not: for a benchmark of given candidates.
  core::Result<std::vector<Measurement>> Measure(const Offer& offer,
                                                 const std::vector<std::size_t>& chosen);

 private:
  core::Result<Measurement> Screen(const Offer& offer, std::size_t candidate);
  core::Status Verify(std::size_t candidate, Measurement& measurement);
  // Whether a candidate's sample number `sample` (0: a cold call) says that it cannot win.
  bool TooSlow(double us, int sample) const;
  core::Status Samples(std::size_t candidate, bool fallback, Measurement& measurement);
  core::Status SecondPhase(const Hints& hints, Measured& measured);
  // The same sample again where others disturbed it.
  core::Result<double> SampleAlone(std::size_t candidate, int calls, Cache cache);
  // us_hot and us_cold of those of `chosen` that compete, where the device can tell.
  core::Status TimeCaches(const Offer& offer, const std::vector<std::size_t>& chosen,
                          Measured& measured);
  void NoteTime(const Measurement& measurement);

  TuningDevice& device_;
  SearchOptions options_;
  Screened screened_;
  double best_us_ = 0;  // of the shape, so far; 0: none
};

}  // namespace tunehub::agent
