#include "server/tables/provenance.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/encoding.h"
#include "core/base/read_json.h"

namespace tunehub::server {
namespace {

constexpr std::size_t kCommitDigits = 7;

bool IsCommit(std::string_view text) {
  return text.size() >= kCommitDigits &&
         text.find_first_not_of(core::kHexDigits) == std::string_view::npos;
}

Provenance JudgeVersion(std::string_view asked, const nlohmann::json& run,
                        std::string_view member) {
  if (asked.empty()) return Provenance::kMatches;
  const auto said = run.find(member);
  if (said == run.end() || !said->is_string()) return Provenance::kUnknown;
  return IsVersionOf(asked, said->get_ref<const std::string&>()) ? Provenance::kMatches
                                                                 : Provenance::kOther;
}

Provenance JudgeStart(const std::optional<std::int64_t>& since, bool known, std::int64_t started) {
  if (!since) return Provenance::kMatches;
  if (!known) return Provenance::kUnknown;
  return started >= *since ? Provenance::kMatches : Provenance::kOther;
}

// The most exact member decides, because a driver may use one name for many products.
Provenance JudgeDevice(const std::vector<std::string>& asked, const nlohmann::json& run,
                       const core::Devices& devices) {
  if (asked.empty()) return Provenance::kMatches;
  for (const char* member : {"product", "pci_id", "gpu"}) {
    const auto said = run.find(member);
    if (said == run.end() || !said->is_string()) continue;
    const core::Device* const device = devices.Find(said->get_ref<const std::string&>());
    if (device == nullptr) continue;
    return std::ranges::find(asked, device->product) == asked.end() ? Provenance::kOther
                                                                    : Provenance::kMatches;
  }
  return Provenance::kUnknown;
}

}  // namespace

bool ProvenanceFilter::empty() const {
  return !since && devices.empty() && std::ranges::all_of(kAskedVersions, [&](const auto& it) {
    return (this->*it.asked).empty();
  });
}

bool IsVersionOf(std::string_view asked, std::string_view version) {
  if (!version.starts_with(asked)) return false;
  if (version.size() == asked.size()) return true;
  return IsCommit(asked) || std::string_view(".-+@").find(version[asked.size()]) != version.npos;
}

Provenance Judge(const ProvenanceFilter& filter, std::string_view provenance, std::int64_t started,
                 const core::Devices& devices) {
  const nlohmann::json run = core::SureJson(provenance);
  const bool known = run.value("provenance", "") != "unknown";
  std::vector<Provenance> verdicts = {JudgeStart(filter.since, known, started),
                                      JudgeDevice(filter.devices, run, devices)};
  for (const AskedVersion& version : kAskedVersions)
    verdicts.push_back(JudgeVersion(filter.*version.asked, run, version.member));
  for (const Provenance worst : {Provenance::kOther, Provenance::kUnknown}) {
    if (std::ranges::find(verdicts, worst) != verdicts.end()) return worst;
  }
  return Provenance::kMatches;
}

}  // namespace tunehub::server
