#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "agent/aiter/untuned_table.h"
#include "agent/base/provenance.h"
#include "agent/search/tuning_bench.h"
#include "core/base/file.h"
#include "core/base/process.h"
#include "core/base/rfc3339.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

// A device's state changes, so an older default's time is not a reference.
constexpr std::chrono::hours kReferenceAge{24};
// A row of JSON is longer than a row of CSV by this factor, because it contains the names of
// columns.
constexpr std::size_t kJsonGrowth = 8;

// Members of a run: "triton 3.4.0" gives "triton=3.4.0", "torch 2.8.0" gives "pytorch=2.8.0", and
// the engine that has the script gives "engine=vllm@0.11.0".
std::vector<std::string> Toolchain(const EngineRun& run) {
  std::vector<std::string> members;
  for (const std::string& version : run.versions) {
    const std::size_t blank = version.find(' ');
    if (blank == std::string::npos) continue;
    const std::string name = version.substr(0, blank), number = version.substr(blank + 1);
    if (name == "triton") members.push_back("triton=" + number);
    if (name == "torch") members.push_back("pytorch=" + number);
    if (run.tuner.starts_with(name + " ")) members.push_back("engine=" + name + "@" + number);
  }
  return members;
}

// PyTorch's workspace for hipBLASLt in KiB: CUBLASLT_WORKSPACE_SIZE, else HIPBLASLT_WORKSPACE_SIZE.
// It decides which solutions can run, but no validator of TunableOp contains it.
std::vector<std::string> WorkspaceOf(const EngineRun& run, const DeviceInfo& device) {
  if (run.family != "tunableop" || device.kind != "amd") return {};
  std::string size = "default";
  for (const char* const variable : {"HIPBLASLT_WORKSPACE_SIZE", "CUBLASLT_WORKSPACE_SIZE"}) {
    if (const std::string set = core::Environment(variable); !set.empty()) size = set;
  }
  return {RunMember("hipblaslt_workspace", size)};
}

BatchHeader HeaderOf(const std::string& family, const std::string& file, const NewRun& run) {
  BatchHeader header;
  header.key = core::RandomUuid();
  header.family = family;
  header.file = file;
  header.created = core::UtcText(std::chrono::system_clock::now());
  header.new_run = run;
  return header;
}

}  // namespace

core::Result<NewRun> NewRunOf(
    std::vector<std::string> members,
    std::initializer_list<std::pair<const char*, const std::string&>> texts) {
  for (const auto& [name, text] : texts) {
    if (!text.empty()) members.push_back(fmt::format("{}={}", name, text));
  }
  auto provenance = ProvenanceOf(members, core::UtcText(std::chrono::system_clock::now()));
  if (!provenance.ok()) return provenance.error();
  return NewRun{core::RandomUuid(), *std::move(provenance)};
}

std::vector<std::vector<std::string>> UntunedRows(const core::Family& family,
                                                  const std::vector<Columns>& shapes) {
  std::vector<std::vector<std::string>> rows;
  for (const Columns& shape : shapes) rows.push_back(UntunedCells(family, shape));
  return rows;
}

core::Result<NewRun> AiterRunOf(const AiterContext& context, AiterStep step) {
  const auto& [tuner, plan, device, targets, arguments, campaign, defaults] = context;
  std::vector<std::string> members = DeviceMembers(device, targets.devices());
  const bool bench = step != AiterStep::kTune;
  members.push_back("tuner=aiter " + plan.family->tune_script + (bench ? " --run_config" : ""));
  members.push_back("provider=aiter");
  members.push_back("error_limit=" + nlohmann::json(plan.err_ratio).dump());
  // A checkout's commit is more exact than the version of its package.
  const std::string commit = tuner.commit();
  for (const std::string& version : tuner.toolchain()) {
    if (commit.empty() || !version.starts_with("aiter=")) members.push_back(version);
  }
  return NewRunOf(std::move(members),
                  {{"aiter", commit}, {"arguments", arguments}, {"campaign", campaign}});
}

fs::path BaselineLog(const fs::path& logs, const core::Family& family) {
  std::error_code error;
  const std::string begins = fmt::format("{}_bench_before_", VariantName(family));
  fs::path newest;  // the name of a log ends with its time
  for (const auto& it : fs::directory_iterator(logs, error)) {
    if (it.path().filename().string().starts_with(begins)) newest = std::max(newest, it.path());
  }
  return newest;
}

DefaultTimes LastDefaults(const fs::path& logs, const core::Family& family,
                          const core::Target& here) {
  std::error_code error;
  const fs::path log = BaselineLog(logs, family);
  const auto written = fs::last_write_time(log, error);
  if (error || fs::file_time_type::clock::now() - written > kReferenceAge) return {};
  const auto bytes = core::FileBytes::Read(log);
  if (!bytes.ok()) return {};
  return DefaultTimesOf(family, LoggedDefaults(bytes->view(), true), here);
}

core::Status SpoolCandidates(const AiterContext& context, const std::string& csv, const NewRun& run,
                             Outbox& outbox) {
  const core::Family& family = *context.plan.family;
  const bool as_json = !context.defaults.empty();
  const std::size_t bytes = as_json ? kMaxBatchBytes / kJsonGrowth : kMaxBatchBytes;
  for (const BatchRows& part : SplitTable(csv, kMaxBatchRows, bytes)) {
    BatchHeader header = HeaderOf(family.name, "AITER's profile", run);
    header.line_offset = part.line_offset;
    std::string body = part.csv;
    if (as_json) {
      auto rows = CandidateRows(family, context.targets, part.csv, context.defaults);
      if (!rows.ok()) return rows.error();
      body = *std::move(rows);
      header.content_type = kJsonType;
    }
    if (auto status = outbox.Add(header, body); !status.ok()) return status;
  }
  return core::Ok();
}

core::Result<SpooledBench> SpoolBench(const AiterContext& context,
                                      const std::vector<AiterTiming>& timings, AiterStep step,
                                      std::string_view tuned, Outbox& outbox) {
  const core::Family& family = *context.plan.family;
  const core::Target& here = context.device.target;
  OperatorRows rows;
  if (step == AiterStep::kBenchAfter) {
    auto read = TunedOperatorRows(family, context.targets, timings, tuned, here, context.defaults);
    if (!read.ok()) return read.error();
    rows = *std::move(read);
  } else if (const auto table = core::Environment(family.env.c_str()); !table.empty()) {
    return SpooledBench{
        0, fmt::format("{} names {}, so AITER ran that table's kernels instead of the defaults",
                       family.env, table)};
  } else {
    rows = DefaultRows(family, timings, here);
  }
  if (rows.rows == 0)
    return SpooledBench{
        0, "no shape ran correctly on a GPU whose name is known from AITER or the driver"};
  const auto run = AiterRunOf(context, step);
  if (!run.ok()) return run.error();
  BatchHeader header = HeaderOf(family.name, "AITER's bench", *run);
  header.content_type = kJsonType;
  if (auto status = outbox.Add(header, rows.json); !status.ok()) return status.error();
  return SpooledBench{rows.rows, ""};
}

core::Result<NewRun> EngineRunOf(const EngineRun& run, const DeviceInfo& device,
                                 const core::Devices& devices, const std::string& arguments,
                                 const std::string& campaign) {
  DeviceInfo named = device;  // if the driver lists no GPU, gets the name from the script
  if (named.name.empty()) named.name = run.device;
  std::vector<std::string> members = DeviceMembers(named, devices);
  for (const std::string& version : Toolchain(run)) members.push_back(version);
  for (const std::string& size : WorkspaceOf(run, device)) members.push_back(size);
  return NewRunOf(std::move(members),
                  {{"tuner", run.tuner}, {"arguments", arguments}, {"campaign", campaign}});
}

core::Status SpoolRows(const EngineRun& run, const NewRun& new_run, Outbox& outbox) {
  BatchHeader header = HeaderOf(run.family, run.tuner, new_run);
  header.content_type = kJsonType;
  return outbox.Add(header, run.rows);
}

}  // namespace tunehub::agent
