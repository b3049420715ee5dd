// Makes the text of /metrics, in Prometheus' format. Counting is lock-free. A scrape never blocks,
// because other threads fetch slow figures beforehand.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/histogram.h"
#include "server/answers/problems.h"

namespace prometheus {
struct MetricFamily;
}

namespace tunehub::server {

// Figures of other parts, by name. Reading a figure must not block. The text omits an unknown
// figure.
class Figures {
 public:
  using Labels = std::map<std::string, std::string>;
  enum class Kind { kGauge, kCounter, kHistogram };
  struct Sample {
    Labels labels;
    double value = 0;
    core::HistogramReading histogram = {};  // instead of `value`
  };
  // Adds the current samples.
  using Source = std::function<void(std::vector<Sample>&)>;

  // Several figures may have the same name. The first of them sets kind and help.
  void Add(Kind kind, const std::string& name, const std::string& help, Source source);
  // `read` returns a number or an optional number. Without a number, the figure has no sample.
  template <typename Read>
  void AddGauge(const std::string& name, const std::string& help, Read read,
                const Labels& labels = {}) {
    Add(Kind::kGauge, name, help, SourceOf(std::move(read), labels));
  }
  template <typename Read>
  void AddCounter(const std::string& name, const std::string& help, Read read,
                  const Labels& labels = {}) {
    Add(Kind::kCounter, name, help, SourceOf(std::move(read), labels));
  }
  void AddHistogram(const std::string& name, const std::string& help,
                    std::function<core::HistogramReading()> read, const Labels& labels = {});

  // Omits figures without a sample.
  std::vector<prometheus::MetricFamily> Read() const;

 private:
  template <typename Read>
  static Source SourceOf(Read read, const Labels& labels) {
    return [read = std::move(read), labels](std::vector<Sample>& samples) {
      if (const std::optional<double> known(read()); known) samples.push_back({labels, *known});
    };
  }

  struct Figure {
    Kind kind;
    std::string name, help;
    std::vector<Source> sources;
  };
  std::vector<Figure> figures_;
};

// Times of answers, by route and status. A route's name in metrics is its pattern, so that clients
// cannot create new names.
class RequestTimes {
 public:
  struct Route {
    std::string method, pattern;
  };

  RequestTimes() { Name({}); }

  // Call it before Observe. Requests without a route, or refused before the route is known, count
  // as "other".
  void Name(std::vector<Route> routes);
  // `route`: an index into `routes`; any other number: "other". From any thread, without a lock.
  void Observe(int route, int status, double seconds, std::size_t taken, std::size_t given);

  // Samples of the routes and statuses that occurred.
  void Times(std::vector<Figures::Sample>& samples) const;
  void Taken(std::vector<Figures::Sample>& samples) const { Bytes(&Traffic::taken, samples); }
  void Given(std::vector<Figures::Sample>& samples) const { Bytes(&Traffic::given, samples); }

 private:
  struct Traffic {
    std::atomic<std::size_t> taken{0}, given{0};
  };

  void Bytes(std::atomic<std::size_t> Traffic::*which, std::vector<Figures::Sample>& samples) const;

  std::vector<Route> routes_;  // "other" is last
  std::unique_ptr<Traffic[]> traffic_;
  std::deque<core::Histogram> times_;  // by route and status
};

class Metrics {
 public:
  // The hub reuses a text for 20 times as long as making it took. So even constant scrapes use at
  // most 1/20 of one thread.
  static constexpr int kKept = 20;
  // A text that took long, because the machine was busy, is not repeated for longer than this.
  static constexpr std::chrono::milliseconds kMostKept{100};

  void CountBatch(bool refused) { batches_[refused].fetch_add(1, std::memory_order_relaxed); }
  void CountRefusal(RefusedFor why) {
    refusals_[static_cast<std::size_t>(why)].fetch_add(1, std::memory_order_relaxed);
  }
  std::uint64_t batches(bool refused) const {
    return batches_[refused].load(std::memory_order_relaxed);
  }
  std::uint64_t Refused(RefusedFor why) const {
    return refusals_[static_cast<std::size_t>(why)].load(std::memory_order_relaxed);
  }
  // Other parts add their figures before the first request for the text.
  Figures figures;
  RequestTimes requests;

  // Never blocks.
  std::shared_ptr<const std::string> Text();

 private:
  std::array<std::atomic<std::uint64_t>, 2> batches_{};  // stored, refused
  std::array<std::atomic<std::uint64_t>, kRefusals> refusals_{};
  std::mutex mutex_;
  std::shared_ptr<const std::string> text_;           // guarded by mutex_
  std::chrono::steady_clock::time_point kept_until_;  // guarded by mutex_
};

}  // namespace tunehub::server
