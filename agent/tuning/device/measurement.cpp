#include "agent/tuning/device/measurement.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "kernels/timer.h"

namespace tunehub::agent::tuning {
namespace {

constexpr std::string_view kNames[] = {"ok", "abandoned", "wrong", "failed"};

}  // namespace

std::string_view Name(Outcome outcome) {
  return kNames[static_cast<std::size_t>(outcome)];
}

double Median(std::vector<double> samples) {
  return kernels::Samples{std::move(samples)}.median();
}

double Spread(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const std::size_t last = samples.size() - 1;
  return (samples[last - last / 4] - samples[last / 4]) / 2 / Median(samples);
}

nlohmann::json ToJson(const Measurement& measurement) {
  nlohmann::json json = {{"candidate", measurement.candidate},
                         {"status", Name(measurement.outcome)},
                         {"error", measurement.error},
                         {"samples", measurement.samples},
                         {"reason", measurement.reason}};
  if (measurement.us_hot > 0) json["us_hot"] = measurement.us_hot;
  if (measurement.us_cold > 0) json["us_cold"] = measurement.us_cold;
  return json;
}

core::Result<Measurement> MeasurementOf(const nlohmann::json& json) {
  try {
    Measurement measurement;
    measurement.candidate = json.at("candidate").get<Columns>();
    measurement.error = json.at("error").get<double>();
    measurement.samples = json.at("samples").get<std::vector<double>>();
    measurement.reason = json.at("reason").get<std::string>();
    measurement.us_hot = json.value("us_hot", 0.0);
    measurement.us_cold = json.value("us_cold", 0.0);
    const auto status = json.at("status").get<std::string>();
    const auto* found = std::find(std::begin(kNames), std::end(kNames), status);
    if (found == std::end(kNames)) {
      return core::Error{"bad_journal", fmt::format("status '{}'", status)};
    }
    measurement.outcome = static_cast<Outcome>(found - std::begin(kNames));
    return measurement;
  } catch (const nlohmann::json::exception& error) {
    return core::Error{"bad_journal", error.what()};
  }
}

}  // namespace tunehub::agent::tuning
