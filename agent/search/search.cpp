#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "agent/search/session.h"

namespace tunehub::agent {
namespace {

// If medians differ by less, the smaller split along K wins, because it needs less memory and fewer
// sums.
constexpr double kTie = 0.01;

// Screening only chooses finalists, whose rounds take whole samples. So a part of a sample is
// enough.
constexpr int kScreenSamples = 3;
constexpr double kScreenShare = 0.5;
// A candidate is abandoned if its first warm sample is slower than the best by this factor. It is
// above kFinalistRatio by several times the noise of a sample.
constexpr double kAbandonRatio = 1.25;
// The first call of a candidate may also be enough to abandon it. The call must be slower by this
// factor and take at least kTellingUs (a shorter call is mostly the GPU's launch). A second call
// must confirm it.
constexpr double kHopelessRatio = 2.5, kTellingUs = 100;
// A drifting clock can keep a good candidate out of the finalists. Then further rounds include it,
// at most this many times.
constexpr int kMostRepeats = 3;
// Only a few, since the cache is overwritten before each call, which takes longer than the call.
constexpr int kColdCalls = 5;

std::optional<std::size_t> FastestOf(const Measured& measured,
                                     const std::vector<std::size_t>& among) {
  std::optional<std::size_t> best;
  for (const std::size_t i : among) {
    if (!measured[i]->competes()) continue;
    if (!best || Median(measured[i]->samples) < Median(measured[*best]->samples)) best = i;
  }
  return best;
}

// Candidates whose screening was faster than `best`, perhaps because of a faster clock. They need
// rounds together with `best`.
std::vector<std::size_t> Unproven(const Measured& measured, std::optional<std::size_t> best,
                                  const std::vector<bool>& final) {
  std::vector<std::size_t> unproven;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    if (final[i] || !measured[i] || !measured[i]->competes()) continue;
    if (!best || Median(measured[i]->samples) < Median(measured[*best]->samples)) {
      unproven.push_back(i);
    }
  }
  if (!unproven.empty() && best) unproven.push_back(*best);
  return unproven;
}

}  // namespace

std::optional<std::size_t> Choose(const std::vector<Measurement>& measurements,
                                  const std::optional<Columns>& incumbent,
                                  double min_improvement_pct) {
  double fastest = INFINITY;
  for (const Measurement& it : measurements) {
    if (it.competes()) fastest = std::min(fastest, Median(it.samples));
  }
  std::optional<std::size_t> winner;
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    const Measurement& it = measurements[i];
    if (!it.competes()) continue;
    const double us = Median(it.samples);
    if (it.candidate == incumbent && us <= fastest * (1 + min_improvement_pct / 100)) return i;
    if (us > fastest * (1 + kTie)) continue;
    const auto rank = [](const Measurement& m) {
      return std::pair(SplitK(m.candidate), Median(m.samples));
    };
    if (!winner || rank(it) < rank(measurements[*winner])) winner = i;
  }
  return winner;
}

core::Status Search::Verify(std::size_t candidate, Measurement& measurement) {
  const auto verdict = device_.Verify(candidate);
  if (!verdict.ok()) {
    return TakesBlame(verdict.error(), measurement) ? core::Ok() : core::Status(verdict.error());
  }
  measurement.error = std::isnan(verdict->error) ? 1 : verdict->error;
  measurement.reason = verdict->wrong;
  if (measurement.error > options_.error_limit) {
    measurement.reason = fmt::format("error {:f} is above the limit of {:f}", measurement.error,
                                     options_.error_limit);
  }
  if (!measurement.reason.empty()) measurement.outcome = Outcome::kWrong;
  return core::Ok();
}

bool Search::TooSlow(double us, int sample) const {
  if (options_.exhaustive || best_us_ == 0) return false;
  if (sample == 0) return us >= kTellingUs && us > best_us_ * kHopelessRatio;
  return sample == 1 && us > best_us_ * kAbandonRatio;
}

core::Status Search::Samples(std::size_t candidate, bool fallback, Measurement& measurement) {
  int calls = 1;
  for (int i = 0; i <= kScreenSamples; ++i) {
    auto us = device_.Sample(candidate, calls, Cache::kRotating);
    // A first call may be slow for other reasons than the kernel, such as the loading of code.
    if (i == 0 && us.ok() && TooSlow(*us, 0)) {
      us = device_.Sample(candidate, calls, Cache::kRotating);
    }
    if (!us.ok() && us.error().code == kDisturbed) {
      measurement.samples.clear();
      calls = 1;
      i = -1;
      continue;
    }
    if (!us.ok()) {
      return TakesBlame(us.error(), measurement) ? core::Ok() : core::Status(us.error());
    }
    const bool cold = i == 0, abandon = !fallback && TooSlow(*us, i);
    if (!cold || abandon) measurement.samples.push_back(*us);
    if (abandon) {
      measurement.outcome = Outcome::kAbandoned;
      return core::Ok();
    }
    if (cold) calls = CallsFor(*us, kScreenShare * options_.sample_us);
  }
  NoteTime(measurement);
  return core::Ok();
}

void Search::NoteTime(const Measurement& measurement) {
  if (!measurement.competes()) return;
  const double us = Median(measurement.samples);
  if (best_us_ == 0 || us < best_us_) best_us_ = us;
}

core::Result<Measurement> Search::Screen(const Offer& offer, std::size_t candidate) {
  Measurement measurement;
  measurement.candidate = offer.candidates[candidate];
  if (auto status = Verify(candidate, measurement); !status.ok()) return status.error();
  if (measurement.outcome == Outcome::kOk) {
    auto status = Samples(candidate, candidate == offer.fallback, measurement);
    if (!status.ok()) return status.error();
  }
  if (screened_) {
    if (auto status = screened_(measurement); !status.ok()) return status.error();
  }
  return measurement;
}

core::Status Search::SecondPhase(const Hints& hints, Measured& measured) {
  auto finalists = Finalists(measured, hints.incumbent, options_.exhaustive);
  std::vector<bool> final(measured.size());
  for (int repeat = 0; repeat <= kMostRepeats && !finalists.empty(); ++repeat) {
    if (auto status = RunRounds(device_, options_, finalists, measured); !status.ok())
      return status;
    for (const std::size_t i : finalists) final[i] = true;
    finalists = Unproven(measured, FastestOf(measured, finalists), final);
  }
  return core::Ok();
}

core::Result<double> Search::SampleAlone(std::size_t candidate, int calls, Cache cache) {
  for (;;) {
    auto us = device_.Sample(candidate, calls, cache);
    if (us.ok() || us.error().code != kDisturbed) return us;
  }
}

core::Status Search::TimeCaches(const Offer& offer, const std::vector<std::size_t>& chosen,
                                Measured& measured) {
  if (!offer.on_gpu) return core::Ok();
  for (const std::size_t i : chosen) {
    if (!measured[i] || !measured[i]->competes()) continue;
    Measurement& it = *measured[i];
    const int calls = CallsFor(Median(it.samples), options_.sample_us);
    const auto hot = SampleAlone(i, calls, Cache::kHot);
    const auto cold = hot.ok() ? SampleAlone(i, kColdCalls, Cache::kCold) : hot;
    if (!cold.ok()) {
      if (TakesBlame(cold.error(), it)) continue;
      return cold.error();
    }
    it.us_hot = *hot;
    it.us_cold = *cold;
  }
  return core::Ok();
}

core::Result<ShapeResult> Search::Run(const Offer& offer, const Hints& hints,
                                      const std::vector<Measurement>& known) {
  Measured measured(offer.candidates.size());
  std::vector<std::size_t> order;
  best_us_ = 0;
  // On a GPU screening a candidate takes milliseconds, so the plan screens all candidates.
  Plan plan(offer, hints, !options_.exhaustive && !offer.on_gpu);
  while (const auto next = plan.Next(measured)) {
    if (options_.stop && options_.stop())
      return core::Error{kStopped, "the agent was asked to end"};
    const auto before = std::find_if(known.begin(), known.end(), [&](const Measurement& it) {
      return it.candidate == offer.candidates[*next];
    });
    if (before != known.end()) {
      measured[*next] = *before;
      NoteTime(*before);
    } else {
      auto screened = Screen(offer, *next);
      if (!screened.ok()) return screened.error();
      measured[*next] = *std::move(screened);
    }
    order.push_back(*next);
  }
  if (auto status = SecondPhase(hints, measured); !status.ok()) return status.error();
  auto finalists = Finalists(measured, hints.incumbent, false);
  if (std::ranges::count(finalists, offer.fallback) == 0) finalists.push_back(offer.fallback);
  if (auto status = TimeCaches(offer, finalists, measured); !status.ok()) return status.error();

  ShapeResult result;
  result.offered = offer.candidates.size();
  for (std::size_t i : order) {
    if (i == offer.fallback) result.fallback = result.measurements.size();
    result.measurements.push_back(*std::move(measured[i]));
  }
  result.winner = Choose(result.measurements, hints.incumbent, options_.min_improvement_pct);
  return result;
}

core::Result<std::vector<Measurement>> Search::Measure(const Offer& offer,
                                                       const std::vector<std::size_t>& chosen) {
  Measured measured(offer.candidates.size());
  for (std::size_t i : chosen) {
    measured[i].emplace();
    measured[i]->candidate = offer.candidates[i];
    if (auto status = Verify(i, *measured[i]); !status.ok()) return status.error();
  }
  std::vector<std::size_t> correct;
  for (std::size_t i : chosen) {
    if (measured[i]->outcome == Outcome::kOk) correct.push_back(i);
  }
  SearchOptions all_rounds = options_;
  all_rounds.exhaustive = true;
  if (auto status = RunRounds(device_, all_rounds, correct, measured); !status.ok())
    return status.error();
  if (auto status = TimeCaches(offer, correct, measured); !status.ok()) return status.error();
  std::vector<Measurement> measurements;
  for (std::size_t i : chosen) measurements.push_back(*measured[i]);
  return measurements;
}

}  // namespace tunehub::agent
