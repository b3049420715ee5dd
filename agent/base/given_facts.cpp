#include "agent/base/given_facts.h"

#include <fmt/core.h>

#include <filesystem>
#include <system_error>

#include "core/system/file_bytes.h"

namespace tunehub::agent {
namespace {

core::Result<analysis::Environment> FactsOfFile(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return core::Error{"bad_arguments", fmt::format("'{}' is not NAME=VALUE, and no file", path)};
  }
  const auto bytes = core::FileBytes::Read(path);
  if (!bytes.ok()) return bytes.error();
  return analysis::ParseEnvironment(path, bytes->view());
}

}  // namespace

bool IsAssignment(const std::string& given) {
  return given.find('=') != std::string::npos &&
         analysis::IsFactName(std::string_view(given).substr(0, given.find('=')));
}

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
      if (!added.ok()) return core::Error{added.error().code, it + ": " + added.error().detail};
    }
  }
  return facts;
}

}  // namespace tunehub::agent
