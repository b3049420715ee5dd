// A device for the tuner's tests. Candidates take fixed times, and only candidates take time.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "agent/device/device.h"

namespace tunehub::agent::test {

inline Columns Kernel(const std::string& name, int split_k = 0) {
  return {{"kernelName", name}, {"splitK", std::to_string(split_k)}};
}

inline Columns Shape(int m, int n = 1280, int k = 5120) {
  return {{"M", std::to_string(m)},
          {"N", std::to_string(n)},
          {"K", std::to_string(k)},
          {"q_dtype_w", "torch.int8"}};
}

class FakeDevice : public TuningDevice {
 public:
  struct Kernel {
    Columns columns;
    double us = 1;
    double error = 0;
    std::string wrong = {};
  };

  core::Result<Offer> Prepare(const std::string&, const Columns& shape) override {
    ++prepared;
    if (unsupported.contains(TextOf(shape))) return core::Error{kUnsupported, "N must be even"};
    Offer offer;
    for (const Kernel& it : kernels) offer.candidates.push_back(it.columns);
    offer.fallback = fallback;
    offer.on_gpu = on_gpu;
    return offer;
  }
  core::Result<Verdict> Verify(std::size_t candidate) override {
    if (on_verify) {
      if (auto error = on_verify(candidate); !error.code.empty()) return error;
    }
    verified.push_back(candidate);
    return Verdict{kernels[candidate].error, kernels[candidate].wrong};
  }
  core::Result<double> Sample(std::size_t candidate, int calls, Cache cache) override {
    if (on_sample) {
      if (auto error = on_sample(candidate); !error.code.empty()) return error;
    }
    if (cache != Cache::kRotating) {
      in_cache.emplace_back(candidate, cache);
      return kernels[candidate].us * (cache == Cache::kHot ? 0.5 : 2);
    }
    ++samples[candidate];
    const double us = kernels[candidate].us * slowdown;
    spent_us += us * calls;
    return us + overhead_us / calls;
  }

  core::Result<Pulse> FeelPulse() override {
    if (on_pulse) on_pulse();
    return Pulse{1000 * slowdown, capped, clocks};
  }

  std::vector<Kernel> kernels;
  std::size_t fallback = 0;
  bool on_gpu = false;
  std::set<std::string> unsupported;
  bool capped = false;
  std::optional<ClockState> clocks;
  double slowdown = 1;     // factor of every time, as on a slower clock
  double overhead_us = 0;  // per sample, in addition to its calls
  std::function<core::Error(std::size_t)> on_verify, on_sample;
  std::function<void()> on_pulse;

  int prepared = 0;
  double spent_us = 0;
  std::vector<std::size_t> verified;
  std::map<std::size_t, int> samples;
  std::vector<std::pair<std::size_t, Cache>> in_cache;
};

}  // namespace tunehub::agent::test
