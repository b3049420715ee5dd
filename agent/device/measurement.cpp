#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "agent/device/device.h"
#include "core/base/text.h"
#include "core/row/cell.h"
#include "kernels/timer.h"

namespace tunehub::agent {
namespace {

constexpr int kUnlike = 1000;
constexpr double kOtherColumnWeight = 2;

enum class Kind { kDigit, kLetter, kOther };
Kind KindOf(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (std::isdigit(byte) != 0) return Kind::kDigit;
  return std::isalpha(byte) != 0 ? Kind::kLetter : Kind::kOther;
}

// "tk_a8w8_8x2_nm" -> "tk", "_", "a", "8", "w", "8", "_", "8", "x", "2", "_", "nm".
std::vector<std::string_view> Parts(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const auto end = std::find_if(text.begin(), text.end(),
                                  [&](char c) { return KindOf(c) != KindOf(text.front()); });
    const auto size = static_cast<std::size_t>(end - text.begin());
    parts.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return parts;
}

int DifferencesOfText(std::string_view a, std::string_view b) {
  const auto first = Parts(a), second = Parts(b);
  if (first.size() != second.size()) return kUnlike;
  int differences = 0;
  for (std::size_t i = 0; i < first.size(); ++i) differences += first[i] == second[i] ? 0 : 1;
  return differences;
}

constexpr std::string_view kNames[] = {"ok", "abandoned", "wrong", "failed"};

}  // namespace

std::string TextOf(const Columns& columns) {
  return core::Assignments(columns);
}

long SplitK(const Columns& candidate) {
  for (const char* column : {"splitK", "ksplit"}) {
    const auto found = candidate.find(column);
    if (found != candidate.end()) return core::ParseInt64(found->second).value_or(0);
  }
  return 0;
}

double Distance(const Columns& a, const Columns& b) {
  double distance = 0;
  for (const auto& [column, value] : a) {
    const auto other = b.find(column);
    if (other == b.end()) return std::numeric_limits<double>::infinity();
    if (other->second == value) continue;
    const auto first = core::ParseInt64(value), second = core::ParseInt64(other->second);
    if (!first || !second || *first <= 0 || *second <= 0) {
      return std::numeric_limits<double>::infinity();
    }
    const double weight = column == "M" || column == "token" ? 1 : kOtherColumnWeight;
    distance +=
        weight * std::abs(std::log2(static_cast<double>(*first) / static_cast<double>(*second)));
  }
  return distance;
}

int Differences(const Columns& a, const Columns& b) {
  int differences = 0;
  for (const auto& [column, value] : a) {
    const auto other = b.find(column);
    if (other == b.end()) return kUnlike;
    differences += DifferencesOfText(value, other->second);
  }
  return std::min(differences, kUnlike);
}

std::string_view Name(Outcome outcome) {
  return kNames[static_cast<std::size_t>(outcome)];
}

double Median(std::vector<double> samples) {
  return kernels::TimeSamples{std::move(samples)}.median();
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
  if (measurement.us_reference > 0) json["us_reference"] = measurement.us_reference;
  if (!measurement.ended.empty()) json["ended"] = measurement.ended;
  if (!measurement.clock.empty()) json["clock"] = measurement.clock;
  if (!measurement.clocks.empty()) json["clocks"] = measurement.clocks;
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
    measurement.us_reference = json.value("us_reference", 0.0);
    measurement.ended = json.value("ended", "");
    measurement.clock = json.value("clock", "");
    measurement.clocks = json.value("clocks", "");
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

}  // namespace tunehub::agent
