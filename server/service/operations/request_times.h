// How long answers took, by route and status. A route is named by its pattern, so that there are no
// more of them than the program has, whatever clients ask for.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/base/histogram.h"
#include "server/service/operations/figures.h"

namespace tunehub::service {

class RequestTimes {
 public:
  struct Route {
    std::string method, pattern;
  };

  RequestTimes() { Name({}); }
  ~RequestTimes();
  RequestTimes(const RequestTimes&) = delete;
  RequestTimes& operator=(const RequestTimes&) = delete;

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
  core::Histogram& Of(std::size_t route, std::size_t status);
  void Clear();

  std::vector<Route> routes_;  // "other" is the last
  std::unique_ptr<Traffic[]> traffic_;
  // By route and status; null: no answer yet. Owned.
  std::vector<std::atomic<core::Histogram*>> times_;
};

}  // namespace tunehub::service
