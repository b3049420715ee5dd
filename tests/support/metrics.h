// What a server's /metrics says.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "tests/support/http_client.h"

namespace tunehub::test {

class Metrics {
 public:
  explicit Metrics(const HttpClient& client);

  // By its whole name, as it stands there: tunehub_jobs{state="queued"}. 0 where there is none.
  double Of(const std::string& series) const;
  bool Has(const std::string& series) const { return values_.contains(series); }
  // The names with their labels.
  std::size_t size() const { return values_.size(); }
  std::vector<std::string> NamesBeyond(const Metrics& earlier) const;

 private:
  std::map<std::string, double> values_;
};

// Asks until the figure is that much at least; what it was last.
double AwaitMetric(const HttpClient& client, const std::string& series, double least);

}  // namespace tunehub::test
