// Times a call: warm-up, samples and median. The caller passes the call and the clock, so tests
// need neither a kernel nor real time.
#pragma once

#include <functional>
#include <vector>

namespace tunehub::kernels {

// Microseconds since any fixed moment. Never decreases.
using Clock = std::function<double()>;
Clock SteadyClock();

// One timed call. `call` counts up, so that the function can rotate its inputs.
using TimedCall = std::function<void(int call)>;

struct TimeSamples {
  std::vector<double> us;  // per call, in the order taken

  double median() const;  // NaN without samples
};

struct TimingOptions {
  int warmup_calls = 2;
  int samples = 7;
  int calls_per_sample = 1;
  // The least length of a sample. The timer increases the number of calls until a sample takes this
  // long. 0: uses calls_per_sample. (Reading the clock and starting a parallel section each take
  // well under one microsecond.)
  double min_sample_us = 200;
  int max_calls_per_sample = 10'000;
};

class Timer {
 public:
  explicit Timer(Clock clock = SteadyClock()) : clock_(std::move(clock)) {}

  TimeSamples Measure(const TimedCall& launch, const TimingOptions& options) const;

  // Times several candidates in turn, sample by sample, so that disturbances affect all of them
  // equally. Returns one TimeSamples per launch after `options.samples` rounds.
  std::vector<TimeSamples> MeasureInterleaved(const std::vector<TimedCall>& launches,
                                              const TimingOptions& options) const;

  // The mean of `calls` calls, in microseconds. The first call has the number `first`.
  double TimeCalls(const TimedCall& launch, int first, int calls) const;

 private:
  int CallsPerSample(const TimedCall& launch, const TimingOptions& options) const;

  Clock clock_;
};

// The time of a fixed piece of work that uses no cache, in microseconds. Takes about one
// millisecond in total. If the time changes, the CPU's speed has drifted (frequency, another
// process, a throttled container). Times before and after the drift are not comparable.
double PulseUs(const Timer& timer = Timer());

}  // namespace tunehub::kernels
