#include "server/registry/sufficiency.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/base/excerpt.h"
#include "core/base/read_json.h"

namespace tunehub::registry {
namespace {

// "" where it is enough, or nothing is said.
std::string Insufficiency(std::string_view evidence) {
  if (evidence.empty()) return "";
  const auto json = core::ReadJson(evidence);
  if (!json.is_object()) return "";
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

}  // namespace

void JudgeEvidence(std::string_view evidence, core::Row& row) {
  if (!core::Competes(row.standing)) return;
  std::string why = Insufficiency(evidence);
  if (why.empty()) return;
  row.standing = core::Standing::kUnfinished;
  row.reason = std::move(why);
}

}  // namespace tunehub::registry
