#include "server/registry/sufficiency.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/base/excerpt.h"
#include "core/base/read_json.h"

namespace tunehub::registry {
namespace {

// Agents write a time with fewer digits than its samples.
constexpr double kRounding = 0.01;

// "" where it is enough, or nothing is said.
std::string Insufficiency(const nlohmann::json& json) {
  const auto status = json.find("status");
  if (status != json.end() && *status != "ok") {
    const std::string says = status->is_string() ? status->get<std::string>() : status->dump();
    return fmt::format("unfinished: its status is '{}'", core::Excerpt(says));
  }
  const auto samples = json.find("samples");
  if (samples == json.end() || samples->size() >= core::kLeastSamples) return "";
  return fmt::format("unfinished: {} samples, {} are the least", samples->size(),
                     core::kLeastSamples);
}

// "" where the time is one that its samples may have.
std::string Contradiction(const nlohmann::json& samples, double us) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const auto& sample : samples) {
    least = std::min(least, sample.get<double>());
    most = std::max(most, sample.get<double>());
  }
  if (us >= least * (1 - kRounding) && us <= most * (1 + kRounding)) return "";
  return fmt::format("implausible: {:.6g} us, its samples are {:.6g} to {:.6g} us", us, least,
                     most);
}

}  // namespace

void JudgeEvidence(std::string_view evidence, bool is_default, core::Row& row) {
  const bool nameless = is_default && row.reason == core::kNamesNoKernel && row.us > 0;
  if (!nameless && (evidence.empty() || !core::Competes(row.standing))) return;
  auto json = evidence.empty() ? nlohmann::json::object() : core::ReadJson(evidence);
  if (!json.is_object()) json = nlohmann::json::object();
  if (nameless) {
    row.standing = core::Standing::kMeasured;  // so far
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
  const auto timing = json.find("timing");
  if (nameless || (timing != json.end() && *timing == kOperatorTiming))
    row.standing = core::Standing::kCompared;
}

}  // namespace tunehub::registry
