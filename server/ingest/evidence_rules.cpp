#include "server/ingest/evidence_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/analysis/statistics.h"
#include "core/base/read_json.h"
#include "core/base/text.h"
#include "core/table/csv.h"

namespace tunehub::server {
namespace {

constexpr std::string_view kSamples = "samples";
constexpr std::string_view kMicroseconds[] = {"us_hot", "us_cold", "us_low", "us_high",
                                              "us_reference"};
constexpr std::string_view kTexts[] = {"timing", "status", "reason", "ended", "clock", "clocks"};

core::Error Bad(std::string_view place, const EvidenceValue& value, std::string_view why) {
  return {"bad_evidence", fmt::format("{}: {} {}", place, core::Excerpt(value.json), why)};
}

bool IsTime(const EvidenceValue& value) {
  return value.number && *value.number >= kLeastSample && *value.number <= kMostSample;
}

core::Error NoTime(std::string_view place, const EvidenceValue& value) {
  if (!value.number) return Bad(place, value, "must be a number");
  return Bad(place, value, fmt::format("must be {} to {} microseconds", kLeastSample, kMostSample));
}

}  // namespace

bool Evidence::IsMember(std::string_view name) {
  return name == kSamples || core::Contains(kMicroseconds, name) || core::Contains(kTexts, name);
}

core::Status Evidence::Add(std::string_view name, const EvidenceValue& value) {
  if (core::Contains(kMicroseconds, name)) {
    if (!IsTime(value)) return NoTime(name, value);
    Append(name, fmt::format("{}", *value.number));
    return core::Ok();
  }
  if (name == kSamples) return Bad(name, value, "must be an array of numbers");
  if (!value.is_text) return Bad(name, value, "must be a text");
  if (value.json.size() > core::kMaxFieldBytes) {
    return core::Error{"bad_evidence", fmt::format("{}: has {} bytes; the limit is {}", name,
                                                   value.json.size(), core::kMaxFieldBytes)};
  }
  Append(name, value.json);
  return core::Ok();
}

core::Status Evidence::AddSample(const EvidenceValue& value) {
  if (sample_count_ == kMaxSamples)
    return core::Error{"bad_evidence", fmt::format("samples: more than {}", kMaxSamples)};
  if (!IsTime(value)) return NoTime(fmt::format("samples[{}]", sample_count_), value);
  // Prints the shortest text that gives the same double, since a body may have many more digits.
  fmt::format_to(std::back_inserter(samples_), "{}{}", sample_count_++ == 0 ? "" : ",",
                 *value.number);
  return core::Ok();
}

void Evidence::EndSamples() {
  sample_count_ = 0;
  Append(kSamples, "[" + std::exchange(samples_, "") + "]");
}

void Evidence::Append(std::string_view name, std::string_view json) {
  text_ += fmt::format("{}\"{}\":{}", text_.empty() ? "{" : ",", name, json);
}

std::string Evidence::Take() {
  if (!text_.empty()) text_ += "}";
  return std::exchange(text_, "");
}

namespace {

// Returns the bounds of the row's time from its samples. An agent may set wider bounds for its
// device.
core::TimeBounds BoundsOf(const nlohmann::json& json, double us) {
  const auto samples = json.find("samples");
  if (samples == json.end() || !(us > 0)) return {};
  const auto clock = json.find("clock");
  const bool is_steady = clock == json.end() || *clock == "steady";
  const auto interval = analysis::MedianInterval(samples->get<std::vector<double>>());
  if (!interval) return core::BoundsOf(us, is_steady, {});
  return core::BoundsOf(us, is_steady,
                        core::TimeBounds{std::min(interval->low, json.value("us_low", us)),
                                         std::max(interval->high, json.value("us_high", us))});
}

// Agents write a time with fewer digits than its samples.
constexpr double kRounding = 0.01;

// Returns the reason why the measurement is unfinished; "": it is finished.
std::string Insufficiency(const nlohmann::json& json) {
  const auto status = json.find("status");
  if (status != json.end() && *status != "ok") {
    const std::string says = status->is_string() ? status->get<std::string>() : status->dump();
    return fmt::format("unfinished: the status is '{}'", core::Excerpt(says));
  }
  const auto samples = json.find("samples");
  if (samples == json.end() || samples->size() >= core::kLeastSamples) return "";
  return fmt::format("unfinished: the row has {} samples; at least {} are needed", samples->size(),
                     core::kLeastSamples);
}

// Returns the reason why the time contradicts its samples; "": it does not contradict them.
std::string Contradiction(const nlohmann::json& samples, double us) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const auto& sample : samples) {
    least = std::min(least, sample.get<double>());
    most = std::max(most, sample.get<double>());
  }
  if (us >= least * (1 - kRounding) && us <= most * (1 + kRounding)) return "";
  return fmt::format("implausible: the time is {:.6g} us, but the samples are {:.6g} to {:.6g} us",
                     us, least, most);
}

}  // namespace

void JudgeEvidence(std::string_view evidence, bool is_default, core::Row& row) {
  const bool nameless = is_default && row.reason == core::kNamesNoKernel && row.us > 0;
  if (!nameless && evidence.empty()) return;
  auto json = evidence.empty() ? nlohmann::json::object() : core::ReadJson(evidence);
  if (!json.is_object()) json = nlohmann::json::object();
  row.bounds = BoundsOf(json, row.us);
  if (!nameless && !core::Competes(row.standing)) return;
  if (nameless) {
    row.standing = core::Standing::kMeasured;  // until the checks below
    row.reason.clear();
  }
  if (std::string why = Insufficiency(json); !why.empty()) {
    row.standing = core::Standing::kUnfinished;
    row.reason = std::move(why);
    return;
  }
  if (row.standing != core::Standing::kMeasured) return;
  if (const auto samples = json.find("samples"); samples != json.end()) {
    if (std::string why = Contradiction(*samples, row.us); !why.empty()) {
      row.standing = core::Standing::kImplausible;
      row.reason = std::move(why);
      return;
    }
  }
  // A time of AITER's whole operator includes more than the kernel, so it cannot be compared with a
  // kernel's time.
  const auto timing = json.find("timing");
  if (nameless || (timing != json.end() && *timing == "operator"))
    row.standing = core::Standing::kCompared;
}

}  // namespace tunehub::server
