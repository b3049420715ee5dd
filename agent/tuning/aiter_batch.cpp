#include "agent/tuning/aiter_batch.h"

#include <fmt/core.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "agent/aiter/untuned_table.h"
#include "agent/base/provenance.h"
#include "agent/hub/split_table.h"
#include "agent/tuning/device/gpu_facts.h"
#include "core/base/environment.h"
#include "core/base/rfc3339.h"
#include "core/system/random.h"

namespace tunehub::agent::tuning {

std::vector<std::vector<std::string>> UntunedRows(const core::Family& family,
                                                  const std::vector<Columns>& shapes) {
  std::vector<std::vector<std::string>> rows;
  for (const Columns& shape : shapes) rows.push_back(UntunedCells(family, shape));
  return rows;
}

core::Result<NewRun> AiterRunOf(const AiterContext& context, tuners::AiterStep step) {
  const auto& [tuner, plan, device, targets, arguments, campaign] = context;
  std::vector<std::string> members = DeviceMembers(device, targets.devices());
  const bool bench = step != tuners::AiterStep::kTune;
  members.push_back("tuner=aiter " + plan.family->tune_script + (bench ? " --run_config" : ""));
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

core::Result<SpooledBench> SpoolBench(const AiterContext& context,
                                      const std::vector<tuners::AiterTiming>& timings,
                                      tuners::AiterStep step, std::string_view tuned,
                                      Outbox& outbox) {
  const core::Family& family = *context.plan.family;
  const core::Target& here = context.device.target;
  tuners::OperatorRows rows;
  if (step == tuners::AiterStep::kBenchAfter) {
    auto read = tuners::TunedOperatorRows(family, context.targets, timings, tuned, here);
    if (!read.ok()) return read.error();
    rows = *std::move(read);
  } else if (const auto table = core::Environment(family.env.c_str()); !table.empty()) {
    return SpooledBench{0, fmt::format("{} names {}: what ran is of that table, and no default",
                                       family.env, table)};
  } else {
    rows = tuners::DefaultRows(family, timings, here);
  }
  if (rows.rows == 0)
    return SpooledBench{0, "no shape ran right on a GPU that AITER or the driver names"};
  const auto run = AiterRunOf(context, step);
  if (!run.ok()) return run.error();
  BatchHeader header;
  header.key = core::RandomUuid();
  header.family = family.name;
  header.file = "AITER's bench";
  header.created = core::UtcText(std::chrono::system_clock::now());
  header.new_run = *run;
  header.content_type = kJsonType;
  if (auto status = outbox.Add(header, rows.json); !status.ok()) return status.error();
  return SpooledBench{rows.rows, ""};
}

}  // namespace tunehub::agent::tuning
