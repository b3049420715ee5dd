// A histogram that threads fill without a lock. A concurrent Read may miss the newest values.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tunehub::core {

struct HistogramReading {
  std::span<const double> bounds;
  std::vector<std::uint64_t> counts;  // per bucket; the last bucket counts values above all bounds
  double sum = 0;
};

class Histogram {
 public:
  static constexpr std::size_t kMostBounds = 16;

  // `bounds`: the largest value of each bucket, ascending, at most kMostBounds. Must outlive this
  // object.
  explicit Histogram(std::span<const double> bounds)
      : bounds_(bounds.first(std::min(bounds.size(), kMostBounds))) {}
  ~Histogram() = default;
  Histogram(const Histogram&) = delete;
  Histogram& operator=(const Histogram&) = delete;

  void Observe(double value) {
    const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
    counts_[static_cast<std::size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
    sum_.fetch_add(value, std::memory_order_relaxed);
  }

  HistogramReading Read() const {
    HistogramReading reading;
    reading.bounds = bounds_;
    for (std::size_t i = 0; i <= bounds_.size(); ++i) {
      reading.counts.push_back(counts_[i].load(std::memory_order_relaxed));
    }
    reading.sum = sum_.load(std::memory_order_relaxed);
    return reading;
  }

 private:
  const std::span<const double> bounds_;
  std::array<std::atomic<std::uint64_t>, kMostBounds + 1> counts_{};
  std::atomic<double> sum_{0};
};

inline double SecondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Adds its lifetime in seconds to the histogram.
class Stopwatch {
 public:
  explicit Stopwatch(Histogram& histogram) : histogram_(histogram) {}
  ~Stopwatch() { histogram_.Observe(SecondsSince(begin_)); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  Histogram& histogram_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace tunehub::core
