#include "agent/search/device_spread.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "build_info.h"
#include "core/analysis/statistics.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/read_json.h"
#include "core/row/winner.h"

namespace tunehub::agent {
namespace {

constexpr std::size_t kLeastSamples = 3;  // the hub accepts no time with fewer samples
constexpr std::size_t kLeastChanges = 20, kMostChanges = 200, kMostReferences = 10'000;
constexpr double kQuantile = 0.95;
constexpr std::size_t kFileDigits = 12;

}  // namespace

std::optional<TimeRange> RangeOf(const std::vector<double>& samples, double spread) {
  if (samples.size() < kLeastSamples) return std::nullopt;
  const double us = Median(samples);
  const auto interval = analysis::MedianInterval(samples);
  double least = spread > 0 ? spread : core::kRunSpread;
  std::string origin = spread > 0 ? "this device" : "default";
  if (!interval && least < core::kMostSpread) {
    least = core::kMostSpread;
    origin = "few samples";
  }
  const auto [low, high] = interval.value_or(analysis::Interval{us, us});
  const double lowest = us * (1 - least), highest = us * (1 + least);
  if (low <= lowest && high >= highest) return TimeRange{low, high, "samples"};
  return TimeRange{std::min(low, lowest), std::max(high, highest),
                   fmt::format("{:.2g} %, {}", 100 * least, origin)};
}

DeviceSpread::DeviceSpread(const std::filesystem::path& folder, const DeviceInfo& device)
    : device_(fmt::format("{} {} {}, driver {}, {} W, tunehub-agent " TUNEHUB_VERSION, device.kind,
                          device.name, device.address, device.driver, device.power_limit)) {
  if (device.kind == "cpu") return;
  const std::string digits = core::Sha256Hex(device.kind + device.address).substr(0, kFileDigits);
  path_ = folder / fmt::format("spread-{}.json", digits);
  Read();
}

void DeviceSpread::Read() {
  const auto bytes = core::FileBytes::Read(path_);
  if (!bytes.ok()) return;
  try {
    const auto json = core::ReadJson(bytes->view());
    if (json.at("device") != device_) return;
    auto references = json.at("references").get<std::map<std::string, double>>();
    changes_ = json.at("changes").get<std::deque<double>>();
    references_ = std::move(references);
  } catch (const nlohmann::json::exception&) {
    changes_.clear();
  }
}

double DeviceSpread::share() const {
  if (changes_.size() < kLeastChanges) return 0;
  std::vector<double> sorted(changes_.begin(), changes_.end());
  std::ranges::sort(sorted);
  return sorted[static_cast<std::size_t>(kQuantile * static_cast<double>(sorted.size() - 1))];
}

void DeviceSpread::Add(const std::string& family, const DoneShape& done) {
  const auto found = std::ranges::find_if(done.measurements, [](const Measurement& it) {
    return it.us_reference > 0 && it.clock == "steady";
  });
  if (path_.empty() || found == done.measurements.end()) return;
  if (references_.size() >= kMostReferences) references_.clear();
  double& last = references_[family + " " + TextOf(done.shape)];
  const double change = last > 0 ? std::abs(found->us_reference / last - 1) : 0;
  last = found->us_reference;
  if (change == 0) return;
  changes_.push_back(change);
  if (changes_.size() > kMostChanges) changes_.pop_front();
}

core::Status DeviceSpread::Save() const {
  if (path_.empty()) return core::Ok();
  return core::Replace(
      path_,
      nlohmann::json{{"device", device_}, {"references", references_}, {"changes", changes_}}.dump(
          -1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace tunehub::agent
