#include "tests/support/metrics.h"

#include <chrono>
#include <sstream>
#include <thread>

namespace tunehub::test {

Metrics::Metrics(const HttpClient& client) {
  // The server repeats the same text for at most 100 ms. After this pause the text includes
  // everything before this call.
  std::this_thread::sleep_for(std::chrono::milliseconds(120));
  std::istringstream lines(client.Get("/metrics").body);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t blank = line.rfind(' ');
    values_[line.substr(0, blank)] = std::stod(line.substr(blank + 1));
  }
}

double Metrics::Of(const std::string& series) const {
  const auto found = values_.find(series);
  return found == values_.end() ? 0 : found->second;
}

std::vector<std::string> Metrics::NamesBeyond(const Metrics& earlier) const {
  std::vector<std::string> names;
  for (const auto& [name, value] : values_)
    if (!earlier.Has(name)) names.push_back(name);
  return names;
}

double AwaitMetric(const HttpClient& client, const std::string& series, double least) {
  double value = 0;
  for (int i = 0; i < 200; ++i) {
    value = Metrics(client).Of(series);
    if (value >= least) return value;
  }
  return value;
}

}  // namespace tunehub::test
