// Two phases: every candidate of the plan is screened briefly, then the best are measured again,
// one after the other in rounds, so that a drifting clock meets all of them alike.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "agent/device/device.h"
#include "agent/device/measurement.h"
#include "agent/search/rounds.h"

namespace tunehub::agent {

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
