#include "server/service/operations/figures.h"

#include <prometheus/metric_family.h>

#include <algorithm>
#include <limits>

namespace tunehub::service {
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

Figures::Source SourceOf(Figures::Value value, const Figures::Labels& labels) {
  return [value = std::move(value), labels](std::vector<Figures::Sample>& samples) {
    if (const auto known = value()) samples.push_back({labels, *known});
  };
}

}  // namespace

void Figures::Add(Kind kind, const std::string& name, const std::string& help, Source source) {
  auto figure = std::ranges::find(figures_, name, &Figure::name);
  if (figure == figures_.end()) figure = figures_.insert(figure, {kind, name, help, {}});
  figure->sources.push_back(std::move(source));
}

void Figures::AddGauge(const std::string& name, const std::string& help, Value value,
                       const Labels& labels) {
  Add(Kind::kGauge, name, help, SourceOf(std::move(value), labels));
}

void Figures::AddCounter(const std::string& name, const std::string& help, Value value,
                         const Labels& labels) {
  Add(Kind::kCounter, name, help, SourceOf(std::move(value), labels));
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

}  // namespace tunehub::service
