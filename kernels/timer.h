// Times a call: warm-up, samples and median. What is called and what the clock says are
// the caller's, so that tests need neither a kernel nor time.
#pragma once

#include <functional>
#include <vector>

namespace tunehub::kernels {

// Microseconds since any fixed moment; never goes back.
using Clock = std::function<double()>;
Clock SteadyClock();

// One call of what is timed; `call` counts up, so that the callee can rotate its inputs.
using TimedCall = std::function<void(int call)>;

struct Samples {
  std::vector<double> us;  // per call, in the order taken

  double median() const;  // NaN without samples
};

struct TimingOptions {
  int warmup_calls = 2;
  int samples = 7;
  int calls_per_sample = 1;
  // More calls per sample until one takes this long; 0: calls_per_sample stands. The clock and the
  // start of a parallel section cost well under a microsecond each.
  double min_sample_us = 200;
  int max_calls_per_sample = 10'000;
};

class Timer {
 public:
  explicit Timer(Clock clock = SteadyClock()) : clock_(std::move(clock)) {}

  Samples Measure(const TimedCall& launch, const TimingOptions& options) const;

  // Several candidates in turn, sample by sample, so that what the machine does meanwhile hits all
  // alike: one Samples per launch, `options.samples` rounds.
  std::vector<Samples> MeasureInterleaved(const std::vector<TimedCall>& launches,
                                          const TimingOptions& options) const;

  // The mean of `calls` calls in microseconds, beginning with call number `first`.
  double TimeCalls(const TimedCall& launch, int first, int calls) const;

 private:
  int CallsPerSample(const TimedCall& launch, const TimingOptions& options) const;

  Clock clock_;
};

// Microseconds of a fixed piece of work that no cache serves, about a millisecond in all. It takes
// as long as at first, or the clock has drifted (frequency, a neighbour, a throttled container) and
// what was timed before cannot be compared with what was timed since.
double PulseUs(const Timer& timer = Timer());

}  // namespace tunehub::kernels
