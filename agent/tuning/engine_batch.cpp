#include "agent/tuning/engine_batch.h"

#include <fmt/format.h>

#include <chrono>

#include "agent/base/provenance.h"
#include "core/base/rfc3339.h"
#include "core/system/random.h"

namespace tunehub::agent::tuning {

core::Result<NewRun> EngineRunOf(const engines::EngineRun& run, const DeviceInfo& device,
                                 const std::string& arguments, const std::string& campaign) {
  std::vector<std::string> members;
  const std::pair<std::string, std::string> texts[] = {
      {"tuner", run.tuner},       {"gpu", device.name.empty() ? run.device : device.name},
      {"gfx", device.target.gfx}, {"arguments", arguments},
      {"campaign", campaign},     {"compiler", fmt::format("{}", fmt::join(run.versions, ", "))}};
  for (const auto& [name, text] : texts) {
    if (!text.empty()) members.push_back(name + "=" + text);
  }
  if (!device.target.gfx.empty()) {
    members.push_back("cu_num=" + std::to_string(device.target.cu_num));
  }
  auto provenance = ProvenanceOf(members, core::UtcText(std::chrono::system_clock::now()));
  if (!provenance.ok()) return provenance.error();
  return NewRun{core::RandomUuid(), *std::move(provenance)};
}

core::Status SpoolRows(const engines::EngineRun& run, const NewRun& new_run, Outbox& outbox) {
  BatchHeader header;
  header.key = core::RandomUuid();
  header.family = run.family;
  header.file = run.tuner;
  header.created = core::UtcText(std::chrono::system_clock::now());
  header.new_run = new_run;
  header.content_type = kJsonType;
  return outbox.Add(header, run.rows);
}

}  // namespace tunehub::agent::tuning
