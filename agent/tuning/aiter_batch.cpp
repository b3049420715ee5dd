#include "agent/tuning/aiter_batch.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "agent/aiter/untuned_table.h"
#include "agent/base/provenance.h"
#include "agent/hub/split_table.h"
#include "agent/tuning/device/gpu_facts.h"
#include "core/base/rfc3339.h"
#include "core/system/random.h"

namespace tunehub::agent::tuning {

std::vector<std::vector<std::string>> UntunedRows(const core::Family& family,
                                                  const std::vector<Columns>& shapes) {
  std::vector<std::vector<std::string>> rows;
  for (const Columns& shape : shapes) rows.push_back(UntunedCells(family, shape));
  return rows;
}

core::Result<NewRun> AiterRunOf(const tuners::AiterTuner& tuner, const tuners::AiterPlan& plan,
                                const DeviceInfo& device, const core::Devices& devices,
                                const std::string& arguments, const std::string& campaign) {
  std::vector<std::string> members = DeviceMembers(device, devices);
  members.push_back("tuner=aiter " + plan.family->tune_script);
  members.push_back("provider=aiter");
  members.push_back("error_limit=" + nlohmann::json(plan.err_ratio).dump());
  // A checkout's commit says more than the version of its package.
  const std::string commit = tuner.commit();
  for (const std::string& version : tuner.toolchain()) {
    if (commit.empty() || !version.starts_with("aiter=")) members.push_back(version);
  }
  const std::pair<std::string, std::string> texts[] = {
      {"aiter", commit}, {"arguments", arguments}, {"campaign", campaign}};
  for (const auto& [name, text] : texts) {
    if (!text.empty()) members.push_back(name + "=" + text);
  }
  auto provenance = ProvenanceOf(members, core::UtcText(std::chrono::system_clock::now()));
  if (!provenance.ok()) return provenance.error();
  return NewRun{core::RandomUuid(), *std::move(provenance)};
}

core::Status SpoolCandidates(const core::Family& family, const std::string& csv, const NewRun& run,
                             Outbox& outbox) {
  for (const TablePart& part : SplitTable(csv)) {
    BatchHeader header;
    header.key = core::RandomUuid();
    header.family = family.name;
    header.file = "AITER's profile";
    header.line_offset = part.line_offset;
    header.created = core::UtcText(std::chrono::system_clock::now());
    header.new_run = run;
    if (auto status = outbox.Add(header, part.csv); !status.ok()) return status;
  }
  return core::Ok();
}

}  // namespace tunehub::agent::tuning
