#include "agent/daemon/tunable_jobs.h"

#include <fmt/core.h>

#include <algorithm>
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

std::string TunableJobs::WhyNever(const tuning::Columns& shape) const {
  const core::TunableShape asked = TunableShapeOf(shape);
  if (core::IsPattern(asked)) return asked.params + " is a pattern, which cannot be timed";
  if (const std::string why = core::WhyNotAsked(asked); !why.empty()) return why;
  return device().WhyOther(shape.at("device"));
}

std::string TunableJobs::WhyNot(const tuning::Columns& shape) const {
  const std::string& validators = shape.at(kValidators);
  if (!validators.empty() && validators != validators_) {
    return fmt::format("it is for the validators {}; {}", validators,
                       validators_.empty() ? "PyTorch here did not tell its own"
                                           : "PyTorch here has " + validators_);
  }
  return WhyNever(shape);
}

EnginePart TunableJobs::PartOf(std::vector<tuning::Columns> shapes) const {
  std::set<core::TunableShape> asked;
  for (const tuning::Columns& shape : shapes) asked.insert(TunableShapeOf(shape));
  return {std::move(shapes),
          [this, list = std::vector<core::TunableShape>(asked.begin(), asked.end())](
              const engines::EngineObserver& observer) {
            return engines::TuneTunable(settings_, list, observer);
          }};
}

std::optional<EnginePart> TunableJobs::FirstRun(const tuning::TuneTask& task) {
  first_.reset();
  if (!validators_.empty()) return std::nullopt;
  const auto first = std::ranges::find_if(task.shapes, [&](const tuning::Columns& shape) {
    return !shape.at(kValidators).empty() && WhyNever(shape).empty();
  });
  if (first == task.shapes.end()) return std::nullopt;
  first_ = *first;
  return PartOf({*first});
}

core::Result<EngineParts> TunableJobs::PartsOf(const tuning::TuneTask& task) {
  EngineParts parts;
  std::vector<tuning::Columns> shapes;
  for (const tuning::Columns& shape : task.shapes) {
    const std::string why = WhyNot(shape);
    if (!why.empty()) parts.left.Add(why);
    // Validators are told with rows: where PyTorch has told them, this one is tuned.
    if (why.empty()) (shape == first_ ? parts.tuned : shapes).push_back(shape);
  }
  if (!shapes.empty()) parts.parts.push_back(PartOf(std::move(shapes)));
  return parts;
}

void TunableJobs::Learn(const engines::EngineRun& run) {
  const auto body = core::ReadJson(run.rows);
  if (!body.is_object() || body.at("rows").empty()) return;
  validators_ = body.at("rows").front().value(kValidators, "");
}

}  // namespace tunehub::agent::daemon
