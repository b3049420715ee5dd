// What /metrics says, in Prometheus' text format. Counting is lock-free; gauges are read at the
// scrape, which never blocks: what has to be asked for is asked beforehand, by others.
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

// What is read where it is asked for: figures that somebody else keeps, by name. Reading one must
// not block; one that is not known says so, and is left out.
class Figures {
 public:
  using Labels = std::map<std::string, std::string>;
  enum class Kind { kGauge, kCounter, kHistogram };
  struct Sample {
    Labels labels;
    double value = 0;
    core::HistogramReading histogram = {};  // in place of `value`
  };
  // Adds the samples that there are.
  using Source = std::function<void(std::vector<Sample>&)>;

  // Of one name several may be added; kind and help are those of the first.
  void Add(Kind kind, const std::string& name, const std::string& help, Source source);
  // `read` answers a number, or an optional one: absent where it is not known, or not of this
  // server.
  template <typename Read>
  void AddGauge(const std::string& name, const std::string& help, Read read,
                const Labels& labels = {}) {
    Add(Kind::kGauge, name, help, SourceOf(std::move(read), labels));
  }
  // What only grows.
  template <typename Read>
  void AddCounter(const std::string& name, const std::string& help, Read read,
                  const Labels& labels = {}) {
    Add(Kind::kCounter, name, help, SourceOf(std::move(read), labels));
  }
  void AddHistogram(const std::string& name, const std::string& help,
                    std::function<core::HistogramReading()> read, const Labels& labels = {});

  // A figure of which there is no sample is left out.
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

// How long answers took, by route and status. A route is named by its pattern, so that there are no
// more of them than the program has, whatever clients ask for.
class RequestTimes {
 public:
  struct Route {
    std::string method, pattern;
  };

  RequestTimes() { Name({}); }

  // Before the first one is observed. What has no route, or was refused before it was known, is
  // "other".
  void Name(std::vector<Route> routes);
  // `route`: a place among those; another number: none of them. From any thread, without a lock.
  void Observe(int route, int status, double seconds, std::size_t taken, std::size_t given);

  // Of answers that there were.
  void Times(std::vector<Figures::Sample>& samples) const;
  void Taken(std::vector<Figures::Sample>& samples) const { Bytes(&Traffic::taken, samples); }
  void Given(std::vector<Figures::Sample>& samples) const { Bytes(&Traffic::given, samples); }

 private:
  struct Traffic {
    std::atomic<std::size_t> taken{0}, given{0};
  };

  void Bytes(std::atomic<std::size_t> Traffic::*which, std::vector<Figures::Sample>& samples) const;

  std::vector<Route> routes_;  // "other" is the last
  std::unique_ptr<Traffic[]> traffic_;
  std::deque<core::Histogram> times_;  // by route and status
};

class Metrics {
 public:
  // A text is said again for so many times what its making took: whoever asks without end takes
  // that part of one thread at most.
  static constexpr int kKept = 20;

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
  // What others keep is to be added before the first text is asked for.
  Figures figures;
  RequestTimes requests;

  // From memory.
  std::shared_ptr<const std::string> Text();

 private:
  std::array<std::atomic<std::uint64_t>, 2> batches_{};  // stored, refused
  std::array<std::atomic<std::uint64_t>, kRefusals> refusals_{};
  std::mutex mutex_;
  std::shared_ptr<const std::string> text_;           // guarded by mutex_
  std::chrono::steady_clock::time_point kept_until_;  // guarded by mutex_
};

}  // namespace tunehub::server
