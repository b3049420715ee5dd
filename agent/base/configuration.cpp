#include "agent/base/configuration.h"

#include <fmt/core.h>

#include <system_error>
#include <utility>

#include "agent_devices.h"
#include "agent_engines.h"
#include "agent_families.h"
#include "agent_heuristics.h"
#include "agent_models.h"
#include "agent_readers.h"
#include "agent_suites.h"
#include "agent_targets.h"
#include "core/base/process.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

constexpr char kTargetsFile[] = "targets.json";
constexpr char kEnginesFile[] = "engines.json";

core::TextFolder CompiledIn(const char* name, std::span<const core::TextFolder::Text> texts) {
  return {fmt::format("the compiled-in configs/{}", name), texts};
}

core::Result<Configuration> WholeConfiguration(core::Result<core::Families> families,
                                               core::Result<core::Targets> targets) {
  if (!families.ok()) return families.error();
  if (!targets.ok()) return targets.error();
  return Configuration{*std::move(families), *std::move(targets), {}, {}, {}, {}, {}, {}};
}

core::Result<Configuration> WithReaders(Configuration whole, const core::TextFolder& folder) {
  auto readers = core::Readers::Load(folder, whole.families);
  if (!readers.ok()) return readers.error();
  whole.readers = *std::move(readers);
  return whole;
}

core::Result<Configuration> WithEngines(Configuration whole, const std::string& place,
                                        std::string_view text) {
  auto engines = core::ParseEngineReads(place, text);
  if (!engines.ok()) return engines.error();
  whole.engines = *std::move(engines);
  return whole;
}

core::Result<core::Targets> CompiledInTargets() {
  auto devices = core::Devices::Parse("devices.json", kDevicesText);
  if (!devices.ok()) return devices.error();
  return core::Targets::Parse(kTargetsFile, kTargetsText, *std::move(devices));
}

core::Result<Configuration> CompiledInConfiguration() {
  auto whole = WholeConfiguration(core::Families::Load(CompiledIn("families", kFamilyTexts)),
                                  CompiledInTargets());
  if (!whole.ok()) return whole;
  whole->models = CompiledIn("models", kModelTexts);
  whole->heuristics = CompiledIn("heuristics", kHeuristicTexts);
  whole->suites = CompiledIn("suites", kSuiteTexts);
  whole = WithEngines(*std::move(whole), kEnginesFile, kEnginesText);
  if (!whole.ok()) return whole;
  return WithReaders(*std::move(whole), CompiledIn("readers", kReaderTexts));
}

}  // namespace

core::Result<Configuration> LoadConfiguration(const std::string& folder) {
  const fs::path place = folder.empty() ? core::Environment("TUNEHUB_CONFIGS") : folder;
  if (place.empty()) return CompiledInConfiguration();
  std::error_code error;
  if (!fs::is_directory(place / "families", error)) {
    return core::Error{"no_configs",
                       fmt::format("no folder families/ in {}{}. Without {} this program uses its "
                                   "compiled-in configuration",
                                   place.string(), folder.empty() ? " (TUNEHUB_CONFIGS)" : "",
                                   folder.empty() ? "it" : "--configs")};
  }
  auto whole = WholeConfiguration(core::Families::Load(place / "families"),
                                  core::Targets::Load(place / kTargetsFile));
  if (!whole.ok()) return whole;
  whole->models = place / "models";
  whole->heuristics = place / "heuristics";
  whole->suites = place / "suites";
  whole->folder = place;
  // A folder of a user's own families need not have engines.json.
  const core::TextFolder files = place;
  if (const auto text = files.Read(kEnginesFile)) {
    whole = WithEngines(*std::move(whole), files.PlaceOf(kEnginesFile), *text);
    if (!whole.ok()) return whole;
  }
  if (!fs::is_directory(place / "readers", error)) return whole;
  return WithReaders(*std::move(whole), place / "readers");
}

}  // namespace tunehub::agent
