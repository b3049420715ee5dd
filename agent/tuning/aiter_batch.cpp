#include "agent/tuning/aiter_batch.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "agent/aiter/untuned_table.h"
#include "agent/base/provenance.h"
#include "agent/hub/split_table.h"
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
                                const DeviceInfo& device, const std::string& arguments,
                                const std::string& campaign) {
  std::vector<std::string> members = {"tuner=aiter " + plan.family->tune_script, "provider=aiter",
                                      "error_limit=" + nlohmann::json(plan.err_ratio).dump()};
  if (!device.target.gfx.empty()) {
    members.push_back("gfx=" + device.target.gfx);
    members.push_back("cu_num=" + std::to_string(device.target.cu_num));
  }
  const std::pair<std::string, std::string> texts[] = {{"aiter", tuner.commit()},
                                                       {"gpu", device.name},
                                                       {"arguments", arguments},
                                                       {"campaign", campaign}};
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
