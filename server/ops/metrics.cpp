#include "server/ops/metrics.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <limits>

namespace tunehub::server {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricType;

ClientMetric::Histogram HistogramOf(const core::HistogramReading& reading) {
  ClientMetric::Histogram histogram;
  histogram.sample_sum = reading.sum;
  for (std::size_t i = 0; i < reading.counts.size(); ++i) {
    histogram.sample_count += reading.counts[i];
    const bool last = i == reading.bounds.size();
    histogram.bucket.push_back(
        {histogram.sample_count,
         last ? std::numeric_limits<double>::infinity() : reading.bounds[i]});
  }
  return histogram;
}

ClientMetric MetricOf(Figures::Kind kind, const Figures::Sample& sample) {
  ClientMetric metric;
  for (const auto& [name, value] : sample.labels) metric.label.push_back({name, value});
  if (kind == Figures::Kind::kGauge) metric.gauge.value = sample.value;
  if (kind == Figures::Kind::kCounter) metric.counter.value = sample.value;
  if (kind == Figures::Kind::kHistogram) metric.histogram = HistogramOf(sample.histogram);
  return metric;
}

MetricType TypeOf(Figures::Kind kind) {
  if (kind == Figures::Kind::kGauge) return MetricType::Gauge;
  return kind == Figures::Kind::kCounter ? MetricType::Counter : MetricType::Histogram;
}

// Bounds in seconds: from an answer in memory to the import of a whole tree.
constexpr double kAnswerSeconds[] = {0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10};

// The statuses of this server. Any other status is "other".
constexpr std::array kStatuses = {200, 201, 204, 304, 400, 401, 403, 404, 405, 406, 408, 409, 410,
                                  411, 413, 414, 415, 417, 422, 429, 431, 500, 501, 503, 505};
constexpr std::size_t kStatusNames = kStatuses.size() + 1;

std::size_t PlaceOf(int status) {
  const auto* const found = std::lower_bound(kStatuses.begin(), kStatuses.end(), status);
  const bool known = found != kStatuses.end() && *found == status;
  return known ? static_cast<std::size_t>(found - kStatuses.begin()) : kStatuses.size();
}

std::string NameOf(std::size_t place) {
  return place < kStatuses.size() ? std::to_string(kStatuses[place]) : "other";
}

Figures::Labels LabelsOf(const RequestTimes::Route& route) {
  return {{"method", route.method}, {"route", route.pattern}};
}

}  // namespace

void Figures::Add(Kind kind, const std::string& name, const std::string& help, Source source) {
  auto figure = std::ranges::find(figures_, name, &Figure::name);
  if (figure == figures_.end()) figure = figures_.insert(figure, {kind, name, help, {}});
  figure->sources.push_back(std::move(source));
}

void Figures::AddHistogram(const std::string& name, const std::string& help,
                           std::function<core::HistogramReading()> read, const Labels& labels) {
  Add(Kind::kHistogram, name, help, [read = std::move(read), labels](std::vector<Sample>& samples) {
    samples.push_back({labels, 0, read()});
  });
}

std::vector<prometheus::MetricFamily> Figures::Read() const {
  std::vector<prometheus::MetricFamily> families;
  std::vector<Sample> samples;
  for (const Figure& figure : figures_) {
    samples.clear();
    for (const Source& source : figure.sources) source(samples);
    if (samples.empty()) continue;
    prometheus::MetricFamily family;
    family.name = figure.name;
    family.help = figure.help;
    family.type = TypeOf(figure.kind);
    for (const Sample& sample : samples) family.metric.push_back(MetricOf(figure.kind, sample));
    families.push_back(std::move(family));
  }
  return families;
}

void RequestTimes::Name(std::vector<Route> routes) {
  routes_ = std::move(routes);
  routes_.push_back({"other", "other"});
  traffic_ = std::make_unique<Traffic[]>(routes_.size());
  times_.clear();
  for (std::size_t i = 0; i < routes_.size() * kStatusNames; ++i)
    times_.emplace_back(kAnswerSeconds);
}

void RequestTimes::Observe(int route, int status, double seconds, std::size_t taken,
                           std::size_t given) {
  const std::size_t other = routes_.size() - 1;
  const std::size_t place = route < 0 ? other : std::min(static_cast<std::size_t>(route), other);
  times_[place * kStatusNames + PlaceOf(status)].Observe(seconds);
  if (taken > 0) traffic_[place].taken.fetch_add(taken, std::memory_order_relaxed);
  if (given > 0) traffic_[place].given.fetch_add(given, std::memory_order_relaxed);
}

void RequestTimes::Times(std::vector<Figures::Sample>& samples) const {
  for (std::size_t i = 0; i < times_.size(); ++i) {
    core::HistogramReading times = times_[i].Read();
    if (std::ranges::all_of(times.counts, [](auto count) { return count == 0; })) continue;
    Figures::Labels labels = LabelsOf(routes_[i / kStatusNames]);
    labels["code"] = NameOf(i % kStatusNames);
    samples.push_back({std::move(labels), 0, std::move(times)});
  }
}

void RequestTimes::Bytes(std::atomic<std::size_t> Traffic::*which,
                         std::vector<Figures::Sample>& samples) const {
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    const std::size_t bytes = (traffic_[i].*which).load(std::memory_order_relaxed);
    if (bytes > 0) samples.push_back({LabelsOf(routes_[i]), static_cast<double>(bytes)});
  }
}

// While one caller makes the text, other callers wait, for a few milliseconds.
std::shared_ptr<const std::string> Metrics::Text() {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (text_ == nullptr || now >= kept_until_) {
    text_ =
        std::make_shared<const std::string>(prometheus::TextSerializer().Serialize(figures.Read()));
    const auto made = std::chrono::steady_clock::now();
    kept_until_ = made + std::min<std::chrono::nanoseconds>(kKept * (made - now), kMostKept);
  }
  return text_;
}

}  // namespace tunehub::server
