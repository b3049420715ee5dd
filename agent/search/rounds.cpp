#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "agent/search/session.h"
#include "core/analysis/statistics.h"

namespace tunehub::agent {
namespace {

// The most candidates of near shapes that a plan screens first.
constexpr std::size_t kMostLikely = 6;
// With hints, a plan screens at most this share of the candidates, within the limits below. A
// search with hints may take a quarter of the exhaustive search's time, including the rounds and
// the making of the shape's data. Screening a candidate takes a fifth of the candidate's exhaustive
// time.
constexpr double kBudgetShare = 0.6;
constexpr std::size_t kLeastBudget = 9, kMostBudget = 40;

std::optional<std::size_t> IndexOf(const Offer& offer, const Columns& candidate) {
  const auto found = std::find(offer.candidates.begin(), offer.candidates.end(), candidate);
  if (found == offer.candidates.end()) return std::nullopt;
  return static_cast<std::size_t>(found - offer.candidates.begin());
}

constexpr std::size_t kFinalists = 3, kMostFinalists = 12;
constexpr double kFinalistRatio = 1.10;
// After every kRoundsBetweenLeaving rounds, a finalist is dropped if its fastest sample is above
// the best median.
constexpr int kRoundsBetweenLeaving = 5;
constexpr int kMostCalls = 1000;
// A round is repeated if the clock has drifted by more than this since the first round. A CPU does
// not report its clocks, and work of other processes changes them.
constexpr double kMostDrift = 0.02, kMostDriftOfCpu = 0.05;
// After kMostThrown repeated rounds the clock has settled at another rate, so all rounds start
// again. After kMostBegun starts, rounds count with any clock, since a drifting clock must not stop
// the tuner.
constexpr int kMostThrown = 5, kMostBegun = 3;

// A finalist's rounds end when the 95 % interval of its median is at most kNarrow of the median,
// and at the latest after kMostTimes * SearchOptions::rounds rounds.
constexpr double kNarrow = 0.005;
constexpr int kMostTimes = 2;

bool IsNarrow(const std::vector<double>& samples) {
  const auto interval = analysis::MedianInterval(samples);
  return interval && interval->high - interval->low <= kNarrow * Median(samples);
}

// The finalists that can still win.
std::vector<std::size_t> Remaining(const std::vector<std::size_t>& finalists,
                                   const Measured& measured) {
  double best = INFINITY;
  for (std::size_t i : finalists) {
    if (measured[i]->competes()) best = std::min(best, Median(measured[i]->samples));
  }
  std::vector<std::size_t> remaining;
  for (std::size_t i : finalists) {
    if (!measured[i]->competes()) continue;
    const auto& samples = measured[i]->samples;
    if (*std::min_element(samples.begin(), samples.end()) <= best) remaining.push_back(i);
  }
  return remaining;
}

// "1965 to 1980", or "3201" if all are equal.
std::string RangeText(const std::vector<ClockState>& states, double ClockState::*member) {
  const auto [least, most] = std::ranges::minmax(states, {}, member);
  const std::string first = fmt::format("{:.0f}", least.*member);
  const std::string last = fmt::format("{:.0f}", most.*member);
  return first == last ? first : first + " to " + last;
}

std::string ClocksText(const std::vector<ClockState>& states) {
  if (states.empty()) return "";
  std::uint32_t reasons = 0;
  for (const ClockState& it : states) reasons |= it.throttle;
  return fmt::format(
      "SM {} MHz, memory {} MHz, {} W, {} C, throttle {:#x}",
      RangeText(states, &ClockState::sm_mhz), RangeText(states, &ClockState::memory_mhz),
      RangeText(states, &ClockState::watts), RangeText(states, &ClockState::celsius), reasons);
}

class Rounds {
 public:
  Rounds(TuningDevice& device, const SearchOptions& options, std::vector<std::size_t> finalists,
         Measured& measured)
      : device_(device),
        options_(options),
        all_(std::move(finalists)),
        measured_(measured),
        calls_(measured.size(), 1) {}

  // Errors: stopped, no_device, disturbed.
  core::Status Run() {
    if (auto status = WarmUp(); !status.ok()) return status;
    if (auto status = FeelPulse(); !status.ok()) return status;
    Begin();
    while (round_ < kMostTimes * options_.rounds) {
      if (options_.stop && options_.stop())
        return core::Error{kStopped, "the agent was asked to end"};
      std::vector<std::pair<std::size_t, double>> taken;
      if (auto status = Hold(taken); !status.ok()) return status;
      if (taken.empty()) break;
      if (auto status = FeelPulse(); !status.ok()) return status;
      if (IsOff()) {
        Repeat();
      } else {
        Keep(taken);
      }
    }
    Conclude();
    return core::Ok();
  }

 private:
  core::Status WarmUp() {
    for (std::size_t i : all_) {
      const auto warm = device_.Sample(i, std::max(options_.warmup, 1), Cache::kRotating);
      if (warm.ok()) {
        calls_[i] = CallsFor(*warm, options_.sample_us);
      } else if (!TakesBlame(warm.error(), *measured_[i])) {
        return warm.error();
      }
    }
    return core::Ok();
  }

  // Begins the rounds with the present clock. Samples of capped and of uncapped rounds are never
  // mixed.
  void Begin() {
    finalists_ = all_;
    for (std::size_t i : all_) measured_[i]->samples.clear();
    round_ = thrown_ = 0;
    first_us_ = pulse_.us;
    capped_ = pulse_.capped;
    drifted_ = false;
    pulses_.clear();
    clocks_.clear();
  }

  bool Settled(std::size_t i) const {
    const auto& samples = measured_[i]->samples;
    return samples.size() >= static_cast<std::size_t>(options_.rounds) && IsNarrow(samples);
  }

  bool Drifted() const {
    const double most = pulse_.clocks ? kMostDrift : kMostDriftOfCpu;
    return std::abs(pulse_.us / first_us_ - 1) > most;
  }

  // True if the round ran at another clock than the first round.
  bool IsOff() const { return !capped_ && (pulse_.capped || (begun_ < kMostBegun && Drifted())); }

  void Repeat() {
    if (++thrown_ <= kMostThrown && !pulse_.capped) return;
    ++begun_;
    Begin();
  }

  core::Status FeelPulse() {
    const auto pulse = device_.FeelPulse();
    if (!pulse.ok()) return pulse.error();
    pulse_ = *pulse;
    return core::Ok();
  }

  core::Status Hold(std::vector<std::pair<std::size_t, double>>& taken) {
    for (std::size_t i : finalists_) {
      if (measured_[i]->outcome != Outcome::kOk || Settled(i)) continue;
      const auto us = device_.Sample(i, calls_[i], Cache::kRotating);
      if (us.ok()) {
        taken.emplace_back(i, *us);
      } else if (!TakesBlame(us.error(), *measured_[i])) {
        return us.error();
      }
    }
    return core::Ok();
  }

  void Keep(const std::vector<std::pair<std::size_t, double>>& taken) {
    for (const auto& [i, us] : taken) measured_[i]->samples.push_back(us);
    pulses_.push_back(pulse_.us);
    if (pulse_.clocks) clocks_.push_back(*pulse_.clocks);
    drifted_ = drifted_ || Drifted();
    const bool leave = ++round_ % kRoundsBetweenLeaving == 0 && !options_.exhaustive;
    // A dropped finalist returns if the time of the best finalist has risen, because few samples
    // must not decide.
    if (leave) finalists_ = Remaining(all_, measured_);
  }

  void Conclude() {
    for (std::size_t i : all_) {
      if (!measured_[i]->competes()) continue;
      const bool left = std::ranges::count(finalists_, i) == 0;
      measured_[i]->ended = left ? "slower" : Settled(i) ? "interval" : "limit";
      measured_[i]->us_reference = pulses_.empty() ? 0 : Median(pulses_);
      measured_[i]->clock = capped_ ? "capped" : drifted_ ? "drifting" : "steady";
      measured_[i]->clocks = ClocksText(clocks_);
    }
  }

  TuningDevice& device_;
  const SearchOptions& options_;
  std::vector<std::size_t> all_, finalists_;  // finalists_: those that can still win
  Measured& measured_;
  std::vector<int> calls_;
  Pulse pulse_;
  int round_ = 0, thrown_ = 0, begun_ = 0;
  double first_us_ = 0;
  bool capped_ = false, drifted_ = false;
  std::vector<double> pulses_;  // measured in the rounds that count
  std::vector<ClockState> clocks_;
};

}  // namespace

Plan::Plan(const Offer& offer, const Hints& hints, bool cut)
    : offer_(offer), queued_(offer.candidates.size()), budget_(offer.candidates.size()) {
  std::size_t likely = 0;
  for (const Columns& candidate : hints.likely) {
    if (cut && likely == kMostLikely) break;
    const auto index = IndexOf(offer, candidate);
    if (!index || queued_[*index]) continue;
    Queue(*index);
    ++likely;
  }
  if (hints.incumbent) {
    if (const auto index = IndexOf(offer, *hints.incumbent)) Queue(*index);
  }
  Queue(offer.fallback);
  if (!cut || likely == 0) {
    for (std::size_t i = 0; i < offer.candidates.size(); ++i) Queue(i);
    return;
  }
  const auto share = static_cast<std::size_t>(kBudgetShare * static_cast<double>(budget_));
  const std::size_t wanted = std::clamp(share, kLeastBudget, kMostBudget);
  budget_ = std::min(budget_, std::max(wanted, queue_.size()));
}

void Plan::Queue(std::size_t candidate) {
  if (queued_[candidate]) return;
  queued_[candidate] = true;
  queue_.push_back(candidate);
}

std::optional<std::size_t> Plan::Nearest(
    const std::vector<std::optional<Measurement>>& measured) const {
  std::optional<std::size_t> best;
  const auto us = [&](std::size_t i) { return Median(measured[i]->samples); };
  for (std::size_t i = 0; i < measured.size(); ++i) {
    if (measured[i] && measured[i]->competes() && (!best || us(i) < us(*best))) best = i;
  }
  std::optional<std::size_t> nearest;
  int least = 0;
  for (std::size_t i = 0; i < queued_.size(); ++i) {
    if (queued_[i]) continue;
    const int differences = best ? Differences(offer_.candidates[*best], offer_.candidates[i]) : 0;
    if (!nearest || differences < least) {
      nearest = i;
      least = differences;
    }
  }
  return nearest;
}

std::optional<std::size_t> Plan::Next(const std::vector<std::optional<Measurement>>& measured) {
  if (next_ == budget_) return std::nullopt;
  if (next_ == queue_.size()) {
    const auto nearest = Nearest(measured);
    if (!nearest) return std::nullopt;
    Queue(*nearest);
  }
  return queue_[next_++];
}

int CallsFor(double call_us, double sample_us) {
  if (call_us <= 0) return kMostCalls;
  return static_cast<int>(std::clamp(std::ceil(sample_us / call_us), 1.0, double{kMostCalls}));
}

bool TakesBlame(const core::Error& error, Measurement& measurement) {
  if (error.code != kCandidateFailed) return false;
  measurement.outcome = Outcome::kBroken;
  measurement.error = 1;
  measurement.reason = error.detail;
  return true;
}

std::vector<std::size_t> Finalists(const Measured& measured,
                                   const std::optional<Columns>& incumbent, bool all) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    if (measured[i] && measured[i]->competes()) {
      order.emplace_back(Median(measured[i]->samples), i);
    }
  }
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> finalists;
  for (const auto& [us, candidate] : order) {
    const bool near = us <= order.front().first * kFinalistRatio;
    const bool chosen =
        all || finalists.size() < kFinalists || (near && finalists.size() < kMostFinalists);
    if (chosen || measured[candidate]->candidate == incumbent) finalists.push_back(candidate);
  }
  return finalists;
}

core::Status RunRounds(TuningDevice& device, const SearchOptions& options,
                       const std::vector<std::size_t>& finalists, Measured& measured) {
  // The device notices a disturbance late. Earlier samples may also be wrong, so all rounds
  // restart.
  for (;;) {
    const auto status = Rounds(device, options, finalists, measured).Run();
    if (status.ok() || status.error().code != kDisturbed) return status;
  }
}

}  // namespace tunehub::agent
