#include "agent/tuning/rounds.h"

#include <algorithm>
#include <cmath>

namespace tunehub::agent::tuning {
namespace {

constexpr std::size_t kFinalists = 5, kMostFinalists = 12;
constexpr double kFinalistRatio = 1.10;
// After so many rounds a finalist whose fastest sample is above the best's median goes home.
constexpr int kRoundsBeforeLeaving = 6;
constexpr int kMostCalls = 1000;

// The finalists that may still win.
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

}  // namespace

int CallsFor(double call_us, double sample_us) {
  if (call_us <= 0) return kMostCalls;
  return static_cast<int>(std::clamp(std::ceil(sample_us / call_us), 1.0, double{kMostCalls}));
}

bool TakesBlame(const core::Error& error, Measurement& measurement) {
  if (error.code != kCandidateFailed) return false;
  measurement.outcome = Outcome::kFailed;
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

namespace {

core::Status TryRounds(Device& device, const SearchOptions& options,
                       std::vector<std::size_t> finalists, Measured& measured) {
  std::vector<int> calls(measured.size(), 1);
  for (std::size_t i : finalists) {
    measured[i]->samples.clear();
    const auto warm = device.Sample(i, std::max(options.warmup, 1));
    if (warm.ok()) {
      calls[i] = CallsFor(*warm, options.sample_us);
    } else if (!TakesBlame(warm.error(), *measured[i])) {
      return warm.error();
    }
  }
  for (int round = 0; round < options.rounds; ++round) {
    if (options.stop && options.stop()) return core::Error{kStopped, "asked to end"};
    for (std::size_t i : finalists) {
      if (measured[i]->outcome != Outcome::kOk) continue;
      const auto us = device.Sample(i, calls[i]);
      if (us.ok()) {
        measured[i]->samples.push_back(*us);
      } else if (!TakesBlame(us.error(), *measured[i])) {
        return us.error();
      }
    }
    const bool leave = round + 1 == kRoundsBeforeLeaving && !options.exhaustive;
    if (leave) finalists = Remaining(finalists, measured);
  }
  return core::Ok();
}

}  // namespace

core::Status RunRounds(Device& device, const SearchOptions& options,
                       const std::vector<std::size_t>& finalists, Measured& measured) {
  // Others' work is noticed late: what was timed shortly before was timed beside it as well.
  for (;;) {
    const auto status = TryRounds(device, options, finalists, measured);
    if (status.ok() || status.error().code != kDisturbed) return status;
  }
}

}  // namespace tunehub::agent::tuning
