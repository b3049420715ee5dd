#include "agent/base/provenance.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "build_info.h"
#include "core/row/cell.h"

namespace tunehub::agent {
namespace {

struct Member {
  std::string_view name;
  bool number = false;
};

constexpr Member kMembers[] = {{"host"},
                               {"gpu"},
                               {"product"},
                               {"pci_id"},
                               {"gfx"},
                               {"cu_num", true},
                               {"driver"},
                               {"partition"},
                               {"memory_partition"},
                               {"power_limit", true},
                               {"rocm"},
                               {"aiter"},
                               {"triton"},
                               {"pytorch"},
                               {"engine"},
                               {"compiler"},
                               {"tuner"},
                               {"arguments"},
                               {"agent"},
                               {"started"},
                               {"finished"},
                               {"provider"},
                               {"error_limit", true},
                               {"campaign"},
                               {"note"}};

core::Error Bad(const std::string& assignment, const std::string& reason) {
  return {"bad_provenance", fmt::format("--new-run {}: {}", assignment, reason)};
}

std::string AllowedNames() {
  std::string names;
  for (const Member& member : kMembers) {
    names += (names.empty() ? "" : ", ") + std::string(member.name);
  }
  return names;
}

std::string HostName() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

core::Status Assign(nlohmann::json& json, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos) return Bad(assignment, "not of the form name=value");
  const std::string name = assignment.substr(0, equals), value = assignment.substr(equals + 1);
  const auto* member = std::find_if(std::begin(kMembers), std::end(kMembers),
                                    [&](const Member& m) { return m.name == name; });
  if (member == std::end(kMembers)) return Bad(assignment, "a run has only " + AllowedNames());
  if (json.contains(name)) return Bad(assignment, "given twice");
  if (!member->number) {
    json[name] = value;
    return core::Ok();
  }
  if (const auto integer = core::ParseInt64(value)) {
    json[name] = *integer;
  } else if (const auto number = core::ParseNumber(value)) {
    json[name] = *number;
  } else {
    return Bad(assignment, "no number");
  }
  return core::Ok();
}

}  // namespace

core::Result<nlohmann::json> ProvenanceOf(const std::vector<std::string>& assignments,
                                          const std::string& now) {
  nlohmann::json json = nlohmann::json::object();
  for (const std::string& assignment : assignments) {
    if (core::Status status = Assign(json, assignment); !status.ok()) return status.error();
  }
  if (!json.contains("host")) json["host"] = HostName();
  if (!json.contains("agent")) json["agent"] = "tunehub-agent " TUNEHUB_VERSION;
  if (!json.contains("started")) json["started"] = now;
  return json;
}

}  // namespace tunehub::agent
