#include "server/service/operations/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <iterator>
#include <utility>
#include <vector>

namespace tunehub::service {

struct Metrics::Impl {
  prometheus::Registry registry;
  prometheus::Counter *batches = nullptr, *refused = nullptr, *claims = nullptr;
};

Metrics::Metrics() : impl_(std::make_unique<Impl>()) {
  auto& batches = prometheus::BuildCounter()
                      .Name("tunehub_batches_total")
                      .Help("Posted batches of results and imports")
                      .Register(impl_->registry);
  impl_->batches = &batches.Add({{"outcome", "stored"}});
  impl_->refused = &batches.Add({{"outcome", "refused"}});
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

void Metrics::CountBatch(bool refused) {
  (refused ? impl_->refused : impl_->batches)->Increment();
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
