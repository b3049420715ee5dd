#include "server/service/operations/request_times.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tunehub::service {
namespace {

// From an answer in memory to a whole import.
constexpr double kAnswerSeconds[] = {0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10};

// Those that this server has words for; another one is "other".
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

RequestTimes::~RequestTimes() {
  Clear();
}

void RequestTimes::Clear() {
  for (auto& cell : times_) delete cell.exchange(nullptr);
}

void RequestTimes::Name(std::vector<Route> routes) {
  Clear();
  routes_ = std::move(routes);
  routes_.push_back({"other", "other"});
  traffic_ = std::make_unique<Traffic[]>(routes_.size());
  times_ = std::vector<std::atomic<core::Histogram*>>(routes_.size() * kStatusNames);
}

core::Histogram& RequestTimes::Of(std::size_t route, std::size_t status) {
  std::atomic<core::Histogram*>& cell = times_[route * kStatusNames + status];
  if (core::Histogram* const there = cell.load(std::memory_order_acquire)) return *there;
  auto made = std::make_unique<core::Histogram>(kAnswerSeconds);
  core::Histogram* expected = nullptr;
  if (!cell.compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel)) {
    return *expected;  // another thread was first
  }
  return *made.release();
}

void RequestTimes::Observe(int route, int status, double seconds, std::size_t taken,
                           std::size_t given) {
  const std::size_t other = routes_.size() - 1;
  const std::size_t place = route < 0 ? other : std::min(static_cast<std::size_t>(route), other);
  Of(place, PlaceOf(status)).Observe(seconds);
  if (taken > 0) traffic_[place].taken.fetch_add(taken, std::memory_order_relaxed);
  if (given > 0) traffic_[place].given.fetch_add(given, std::memory_order_relaxed);
}

void RequestTimes::Times(std::vector<Figures::Sample>& samples) const {
  for (std::size_t i = 0; i < times_.size(); ++i) {
    const core::Histogram* const times = times_[i].load(std::memory_order_acquire);
    if (times == nullptr) continue;
    Figures::Labels labels = LabelsOf(routes_[i / kStatusNames]);
    labels["code"] = NameOf(i % kStatusNames);
    samples.push_back({std::move(labels), 0, times->Read()});
  }
}

void RequestTimes::Bytes(std::atomic<std::size_t> Traffic::*which,
                         std::vector<Figures::Sample>& samples) const {
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    const std::size_t bytes = (traffic_[i].*which).load(std::memory_order_relaxed);
    if (bytes > 0) samples.push_back({LabelsOf(routes_[i]), static_cast<double>(bytes)});
  }
}

}  // namespace tunehub::service
