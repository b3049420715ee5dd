// What /metrics says, in Prometheus' text format. Counting is lock-free; gauges are read at the
// scrape.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tunehub::service {

class Metrics {
 public:
  Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;
  ~Metrics();

  // One answered request. `seconds`: in the handler, without the transport.
  void CountRequest(int status, double seconds);
  // One answered from memory on the reactor.
  void CountFast(int status);
  void CountBatch(bool refused, std::size_t bytes);
  void CountClaim();  // a job that was handed out
  // What an analysis took, in seconds, without the transport.
  void ObserveLookup(double seconds);
  void ObserveCoverage(double seconds);
  void ObserveSpeedups(double seconds);
  void ObserveCompare(double seconds);
  void ObserveHeuristic(double seconds);

  using Labels = std::map<std::string, std::string>;
  // Adds a gauge whose value is asked for at each scrape.
  void AddGauge(const std::string& name, const std::string& help, std::function<double()> value,
                const Labels& labels = {});

  std::string Render();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tunehub::service
