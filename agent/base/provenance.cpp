#include "agent/base/provenance.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "build_info.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/row/cell.h"

namespace tunehub::agent {
namespace {

core::Result<analysis::Environment> FactsOfFile(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return core::Error{"bad_arguments",
                       fmt::format("'{}': expected NAME=VALUE or an existing file", path)};
  }
  const auto bytes = core::FileBytes::Read(path);
  if (!bytes.ok()) return bytes.error();
  return analysis::ParseEnvironment(path, bytes->view());
}

// True for NAME=VALUE with the name of a fact.
bool IsAssignment(const std::string& given) {
  return given.find('=') != std::string::npos &&
         analysis::IsFactName(std::string_view(given).substr(0, given.find('=')));
}

constexpr std::string_view kMembers[] = {
    "host",   "gpu",       "product",          "pci_id",      "gfx",         "cu_num",
    "driver", "partition", "memory_partition", "power_limit", "rocm",        "aiter",
    "triton", "pytorch",   "engine",           "compiler",    "tuner",       "arguments",
    "agent",  "started",   "finished",         "provider",    "error_limit", "campaign",
    "note",   "address"};
// The members with numeric values.
constexpr std::string_view kNumbers[] = {"cu_num", "power_limit", "error_limit"};

constexpr std::string_view kFree = "facts.";

bool IsMember(std::string_view name) {
  return std::ranges::find(kMembers, name) != std::end(kMembers);
}

core::Error Bad(const std::string& assignment, const std::string& reason) {
  return {"bad_provenance", fmt::format("--new-run {}: {}", assignment, reason)};
}

std::string HostName() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// For a fact that is not a member: "facts.async_copy=1".
core::Status AssignFree(nlohmann::json& json, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string name = assignment.substr(kFree.size(), equals - kFree.size());
  if (!analysis::IsFactName(name))
    return Bad(assignment, "a fact's name has only letters, digits and _");
  if (IsMember(analysis::FactName(name))) {
    return Bad(assignment,
               fmt::format("give {} without the prefix facts.", analysis::FactName(name)));
  }
  if (json["facts"].contains(name)) return Bad(assignment, "given twice");
  json["facts"][name] = assignment.substr(equals + 1);
  return core::Ok();
}

core::Status Assign(nlohmann::json& json, const std::string& assignment) {
  if (assignment.starts_with(kFree)) return AssignFree(json, assignment);
  const std::size_t equals = assignment.find('=');
  const std::string name = assignment.substr(0, equals), value = assignment.substr(equals + 1);
  if (!IsMember(name)) {
    return Bad(assignment, fmt::format("unknown name; use one of {}, or facts.NAME",
                                       fmt::join(kMembers, ", ")));
  }
  if (json.contains(name)) return Bad(assignment, "given twice");
  if (std::ranges::find(kNumbers, name) == std::end(kNumbers)) {
    json[name] = value;
    return core::Ok();
  }
  if (const auto integer = core::ParseInt64(value)) {
    json[name] = *integer;
  } else if (const auto number = core::ParseNumber(value)) {
    json[name] = *number;
  } else {
    return Bad(assignment, "expected a number");
  }
  return core::Ok();
}

// Returns an assignment as it is, and a file's facts as assignments.
core::Result<std::vector<std::string>> AssignmentsOf(const std::string& given) {
  if (IsAssignment(given)) return std::vector<std::string>{given};
  const auto facts = FactsOf({given});
  if (!facts.ok()) return Bad(given, facts.error().detail);
  return core::Mapped(*facts, [](const auto& it) { return RunMember(it.first, it.second); });
}

}  // namespace

core::Result<analysis::Environment> FactsOf(const std::vector<std::string>& given) {
  analysis::Environment facts;
  for (const std::string& it : given) {
    analysis::Environment more;
    if (IsAssignment(it)) {
      more[it.substr(0, it.find('='))] = it.substr(it.find('=') + 1);
    } else {
      auto file = FactsOfFile(it);
      if (!file.ok()) return file.error();
      more = *std::move(file);
    }
    for (const auto& [name, value] : more) {
      const auto added = analysis::AddFact(name, value, facts);
      if (!added.ok()) return added.error().In(it);
    }
  }
  return facts;
}

std::string RunMember(std::string_view fact, std::string_view value) {
  return fmt::format("{}{}={}", IsMember(fact) ? "" : kFree, fact, value);
}

core::Result<nlohmann::json> ProvenanceOf(const std::vector<std::string>& given,
                                          const std::string& now) {
  nlohmann::json json = nlohmann::json::object();
  for (const std::string& it : given) {
    const auto assignments = AssignmentsOf(it);
    if (!assignments.ok()) return assignments.error();
    for (const std::string& assignment : *assignments) {
      if (core::Status status = Assign(json, assignment); !status.ok()) return status.error();
    }
  }
  if (!json.contains("host")) json["host"] = HostName();
  if (!json.contains("agent")) json["agent"] = "tunehub-agent " TUNEHUB_VERSION;
  if (!json.contains("started")) json["started"] = now;
  return json;
}

}  // namespace tunehub::agent
