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

  // `series`: the name with its labels, tunehub_jobs{state="queued"}. 0 if there is no such series.
  double Of(const std::string& series) const;
  bool Has(const std::string& series) const { return values_.contains(series); }
  std::size_t size() const { return values_.size(); }
  std::vector<std::string> NamesBeyond(const Metrics& earlier) const;

 private:
  std::map<std::string, double> values_;
};

// Reads the series until its value is at least `least`, at most 200 times. Returns the last value.
double AwaitMetric(const HttpClient& client, const std::string& series, double least);

}  // namespace tunehub::test
