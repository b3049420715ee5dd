#include "kernels/timer.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

namespace tunehub::kernels {
namespace {

double MedianOf(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

constexpr int kPulseSamples = 3;
constexpr int kPulseSteps = 300'000;  // four cycles each: about 0.4 ms at 3 GHz

}  // namespace

Clock SteadyClock() {
  return [] {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::micro>(now).count();
  };
}

double TimeSamples::median() const {
  return MedianOf(us);
}

double Timer::TimeCalls(const TimedCall& launch, int first, int calls) const {
  const double begin = clock_();
  for (int i = 0; i < calls; ++i) launch(first + i);
  return (clock_() - begin) / calls;
}

int Timer::CallsPerSample(const TimedCall& launch, const TimingOptions& options) const {
  int calls = std::max(options.calls_per_sample, 1);
  while (calls < options.max_calls_per_sample) {
    const double us = TimeCalls(launch, 0, calls) * calls;
    if (us >= options.min_sample_us) break;
    // As many calls as the last try suggests, but between twice and ten times its calls.
    const double wanted = us > 0 ? calls * options.min_sample_us * 1.1 / us : calls * 10.0;
    calls = static_cast<int>(std::clamp(wanted, calls * 2.0, calls * 10.0));
  }
  return std::min(calls, std::max(options.max_calls_per_sample, 1));
}

std::vector<TimeSamples> Timer::MeasureInterleaved(const std::vector<TimedCall>& launches,
                                                   const TimingOptions& options) const {
  std::vector<int> calls, next(launches.size(), 0);
  for (const auto& launch : launches) {
    for (int i = 0; i < options.warmup_calls; ++i) launch(i);
    calls.push_back(CallsPerSample(launch, options));
  }
  std::vector<TimeSamples> samples(launches.size());
  for (int round = 0; round < options.samples; ++round) {
    for (std::size_t i = 0; i < launches.size(); ++i) {
      samples[i].us.push_back(TimeCalls(launches[i], next[i], calls[i]));
      next[i] += calls[i];
    }
  }
  return samples;
}

TimeSamples Timer::Measure(const TimedCall& launch, const TimingOptions& options) const {
  return MeasureInterleaved({launch}, options).front();
}

double PulseUs(const Timer& timer) {
  const TimedCall work = [](int call) {
    auto value = static_cast<std::uint64_t>(call) | 1;
    for (int i = 0; i < kPulseSteps; ++i)
      value = value * 6364136223846793005U + 1442695040888963407U;
    volatile std::uint64_t sink = value;  // uses the value so that the compiler keeps the loop
    (void)sink;
  };
  TimingOptions options;
  options.warmup_calls = 0;
  options.samples = kPulseSamples;
  options.min_sample_us = 0;
  return timer.Measure(work, options).median();
}

}  // namespace tunehub::kernels
