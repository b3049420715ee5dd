// What is read where it is asked for: figures that somebody else keeps, by name. Reading one must
// not block; one that is not known says so, and is left out.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/histogram.h"

namespace prometheus {
struct MetricFamily;
}

namespace tunehub::service {

class Figures {
 public:
  using Labels = std::map<std::string, std::string>;
  // Absent: not known, or not of this server.
  using Value = std::function<std::optional<double>()>;

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
  void AddGauge(const std::string& name, const std::string& help, Value value,
                const Labels& labels = {});
  // What only grows.
  void AddCounter(const std::string& name, const std::string& help, Value value,
                  const Labels& labels = {});
  void AddHistogram(const std::string& name, const std::string& help,
                    std::function<core::HistogramReading()> read, const Labels& labels = {});

  // A figure of which there is no sample is left out.
  std::vector<prometheus::MetricFamily> Read() const;

 private:
  struct Figure {
    Kind kind;
    std::string name, help;
    std::vector<Source> sources;
  };
  std::vector<Figure> figures_;
};

}  // namespace tunehub::service
