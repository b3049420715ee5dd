#include "agent/tuning/engine_batch.h"

#include <chrono>

#include "agent/base/provenance.h"
#include "agent/tuning/device/gpu_facts.h"
#include "core/base/environment.h"
#include "core/base/rfc3339.h"
#include "core/system/random.h"

namespace tunehub::agent::tuning {

namespace {

// "triton 3.4.0" -> "triton=3.4.0", "torch 2.8.0" -> "pytorch=2.8.0", and of the engine whose
// script ran "engine=vllm@0.11.0".
std::vector<std::string> Toolchain(const engines::EngineRun& run) {
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

// PyTorch's workspace for hipBLASLt in KiB, by the first of its variables that is set. It decides
// which solutions can run, and no validator holds it.
std::vector<std::string> WorkspaceOf(const engines::EngineRun& run, const DeviceInfo& device) {
  if (run.family != "tunableop" || device.kind != "amd") return {};
  std::string size = "default";
  for (const char* const variable : {"HIPBLASLT_WORKSPACE_SIZE", "CUBLASLT_WORKSPACE_SIZE"}) {
    if (const std::string set = core::Environment(variable); !set.empty()) size = set;
  }
  return {RunMember("hipblaslt_workspace", size)};
}

}  // namespace

core::Result<NewRun> EngineRunOf(const engines::EngineRun& run, const DeviceInfo& device,
                                 const core::Devices& devices, const std::string& arguments,
                                 const std::string& campaign) {
  DeviceInfo named = device;  // a host whose driver lists no GPU has the name that the script says
  if (named.name.empty()) named.name = run.device;
  std::vector<std::string> members = DeviceMembers(named, devices);
  for (const std::string& version : Toolchain(run)) members.push_back(version);
  for (const std::string& size : WorkspaceOf(run, device)) members.push_back(size);
  const std::pair<std::string, std::string> texts[] = {
      {"tuner", run.tuner}, {"arguments", arguments}, {"campaign", campaign}};
  for (const auto& [name, text] : texts) {
    if (!text.empty()) members.push_back(name + "=" + text);
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
