// The second phase: the best, measured one after the other in rounds.
#pragma once

#include <optional>
#include <vector>

#include "agent/tuning/device/device.h"
#include "agent/tuning/device/measurement.h"
#include "agent/tuning/search_options.h"

namespace tunehub::agent::tuning {

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

}  // namespace tunehub::agent::tuning
