#include "server/service/operations/metrics.h"

#include <fmt/core.h>
#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <array>
#include <initializer_list>
#include <iterator>
#include <utility>
#include <vector>

namespace tunehub::service {
namespace {

constexpr std::size_t kClasses = 5;  // 1xx to 5xx

// From a cached answer to a whole import.
constexpr std::initializer_list<double> kSeconds = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                                    0.1,    0.25,  0.5,    1,     2.5,  5,     10};

// From an index in memory to the coverage of every family.
constexpr std::initializer_list<double> kAnalysisSeconds = {
    0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025,
    0.005,   0.01,     0.025,   0.05,   0.1,     0.25,   0.5,   1};

std::size_t ClassOf(int status) {
  return status >= 100 && status < 600 ? static_cast<std::size_t>(status / 100 - 1) : kClasses - 1;
}

}  // namespace

struct Metrics::Impl {
  prometheus::Registry registry;
  std::array<prometheus::Counter*, kClasses> requests{}, fast{};
  prometheus::Histogram *seconds = nullptr, *lookup = nullptr, *coverage = nullptr;
  prometheus::Histogram *speedups = nullptr, *compare = nullptr, *heuristic = nullptr;
  prometheus::Counter *batches = nullptr, *refused = nullptr, *bytes = nullptr, *claims = nullptr;
};

Metrics::Metrics() : impl_(std::make_unique<Impl>()) {
  auto& by_class =
      prometheus::BuildCounter()
          .Name("tunehub_http_requests_total")
          .Help("Answered requests, by the class of their status and where they were answered")
          .Register(impl_->registry);
  for (std::size_t i = 0; i < kClasses; ++i) {
    const std::string status = fmt::format("{}xx", i + 1);
    impl_->requests[i] = &by_class.Add({{"status", status}, {"answered", "worker"}});
    impl_->fast[i] = &by_class.Add({{"status", status}, {"answered", "memory"}});
  }
  impl_->seconds = &prometheus::BuildHistogram()
                        .Name("tunehub_http_request_seconds")
                        .Help("Time in the handler of requests that a worker answered")
                        .Register(impl_->registry)
                        .Add({}, kSeconds);
  auto& analysis = prometheus::BuildHistogram()
                       .Name("tunehub_analysis_seconds")
                       .Help("Time that an answer of the analysis took to compute")
                       .Register(impl_->registry);
  impl_->lookup = &analysis.Add({{"kind", "lookup"}}, kAnalysisSeconds);
  impl_->coverage = &analysis.Add({{"kind", "coverage"}}, kAnalysisSeconds);
  impl_->speedups = &analysis.Add({{"kind", "speedups"}}, kAnalysisSeconds);
  impl_->compare = &analysis.Add({{"kind", "compare"}}, kAnalysisSeconds);
  impl_->heuristic = &analysis.Add({{"kind", "heuristic"}}, kAnalysisSeconds);
  auto& batches = prometheus::BuildCounter()
                      .Name("tunehub_batches_total")
                      .Help("Posted batches of results and imports")
                      .Register(impl_->registry);
  impl_->batches = &batches.Add({{"outcome", "stored"}});
  impl_->refused = &batches.Add({{"outcome", "refused"}});
  impl_->bytes = &prometheus::BuildCounter()
                      .Name("tunehub_batch_bytes_total")
                      .Help("Bytes of the bodies of posted batches")
                      .Register(impl_->registry)
                      .Add({});
  impl_->claims = &prometheus::BuildCounter()
                       .Name("tunehub_claims_total")
                       .Help("Jobs handed out by this server")
                       .Register(impl_->registry)
                       .Add({});
  using Samples = std::vector<Figures::Sample>;
  figures.Add(Figures::Kind::kHistogram, "tunehub_http_answer_seconds",
              "Seconds from a request's whole header to its answer, by the route's pattern",
              [this](Samples& samples) { requests.Times(samples); });
  figures.Add(Figures::Kind::kCounter, "tunehub_http_request_body_bytes_total",
              "Bytes of the bodies of requests, as sent",
              [this](Samples& samples) { requests.Taken(samples); });
  figures.Add(Figures::Kind::kCounter, "tunehub_http_answer_body_bytes_total",
              "Bytes of the bodies of answers, as sent",
              [this](Samples& samples) { requests.Given(samples); });
  for (std::size_t i = 0; i < kKeyRefusals.size(); ++i) {
    figures.AddCounter("tunehub_keys_rejected_total",
                       "Requests refused for their key, by the reason",
                       [this, i] { return static_cast<double>(Refused(kKeyRefusals[i])); },
                       {{"reason", kKeyRefusalNames[i]}});
  }
}

Metrics::~Metrics() = default;

void Metrics::CountClaim() {
  impl_->claims->Increment();
}

void Metrics::ObserveLookup(double seconds) {
  impl_->lookup->Observe(seconds);
}

void Metrics::ObserveCoverage(double seconds) {
  impl_->coverage->Observe(seconds);
}

void Metrics::ObserveSpeedups(double seconds) {
  impl_->speedups->Observe(seconds);
}

void Metrics::ObserveCompare(double seconds) {
  impl_->compare->Observe(seconds);
}

void Metrics::ObserveHeuristic(double seconds) {
  impl_->heuristic->Observe(seconds);
}

void Metrics::CountRequest(int status, double seconds) {
  impl_->requests[ClassOf(status)]->Increment();
  impl_->seconds->Observe(seconds);
}

void Metrics::CountFast(int status) {
  impl_->fast[ClassOf(status)]->Increment();
}

void Metrics::CountBatch(bool refused, std::size_t bytes) {
  (refused ? impl_->refused : impl_->batches)->Increment();
  impl_->bytes->Increment(static_cast<double>(bytes));
}

// Who comes while it is made waits for that: a few milliseconds.
std::shared_ptr<const std::string> Metrics::Text() {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (text_ == nullptr || now >= kept_until_) {
    text_ = std::make_shared<const std::string>(Render());
    const auto made = std::chrono::steady_clock::now();
    kept_until_ = made + kKept * (made - now);
  }
  return text_;
}

std::string Metrics::Render() {
  std::vector<prometheus::MetricFamily> families = impl_->registry.Collect();
  auto read = figures.Read();
  std::move(read.begin(), read.end(), std::back_inserter(families));
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace tunehub::service
