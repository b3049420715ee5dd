#include "agent/daemon/tunable_jobs.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <set>

#include "core/base/read_json.h"

namespace tunehub::agent::daemon {
namespace {

constexpr const char* kValidators = "validators";

core::TunableShape TunableShapeOf(const tuning::Columns& shape) {
  return {shape.at("op"), shape.at("params")};
}

}  // namespace

std::string TunableJobs::WhyNot(const tuning::Columns& shape) const {
  const core::TunableShape asked = TunableShapeOf(shape);
  if (core::IsPattern(asked)) return asked.params + " is a pattern, which cannot be timed";
  if (const std::string why = core::WhyNotAsked(asked); !why.empty()) return why;
  const std::string& validators = shape.at(kValidators);
  if (!validators.empty() && validators != validators_) {
    return fmt::format("it is for the validators {}; {}", validators,
                       validators_.empty() ? "PyTorch here has not told its own yet"
                                           : "PyTorch here has " + validators_);
  }
  return device().WhyOther(shape.at("device"));
}

core::Result<EngineParts> TunableJobs::PartsOf(const tuning::TuneTask& task) {
  EngineParts parts;
  EnginePart part;
  std::set<core::TunableShape> asked;
  for (const tuning::Columns& shape : task.shapes) {
    if (const std::string why = WhyNot(shape); !why.empty()) {
      parts.left.Add(why);
      continue;
    }
    part.shapes.push_back(shape);
    asked.insert(TunableShapeOf(shape));
  }
  if (part.shapes.empty()) return parts;
  part.run = [this, shapes = std::vector<core::TunableShape>(asked.begin(), asked.end())](
                 const engines::EngineObserver& observer) {
    return engines::TuneTunable(settings_, shapes, observer);
  };
  parts.parts.push_back(std::move(part));
  return parts;
}

void TunableJobs::Learn(const engines::EngineRun& run) {
  const auto body = core::ReadJson(run.rows);
  if (!body.is_object() || body.at("rows").empty()) return;
  validators_ = body.at("rows").front().value(kValidators, "");
}

}  // namespace tunehub::agent::daemon
