#include "agent/aiter/install/install_journal.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/read_json.h"
#include "core/system/file_bytes.h"
#include "core/system/inner_path.h"

namespace tunehub::agent {
namespace {

constexpr std::string_view kFormat = "tunehub-install-1";
constexpr std::string_view kKinds[] = {"replace", "create", "move_aside",
                                       "make_folder"};  // by InstallKind

core::Error Bad(const std::filesystem::path& path, const std::string& reason) {
  return {"bad_journal", path.string() + ": " + reason};
}

}  // namespace

std::string RenderJournal(const InstallJournal& journal) {
  nlohmann::ordered_json actions = nlohmann::ordered_json::array();
  for (const InstallAction& action : journal.actions) {
    actions.push_back({{"action", kKinds[static_cast<std::size_t>(action.kind)]},
                       {"file", action.file},
                       {"before", action.before},
                       {"after", action.after}});
  }
  const nlohmann::ordered_json json = {{"format", kFormat},
                                       {"hub", journal.hub},
                                       {"revision", journal.served.revision},
                                       {"pin", journal.served.pin},
                                       {"created", journal.created},
                                       {"actions", actions}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

core::Result<std::optional<InstallJournal>> LoadJournal(const std::filesystem::path& path) {
  auto bytes = core::FileBytes::Read(path);
  if (!bytes.ok() && bytes.error().code == "file_not_found") return std::optional<InstallJournal>();
  if (!bytes.ok()) return bytes.error();
  try {
    const auto json = core::SureJson(bytes->view());
    if (json.at("format") != kFormat) return Bad(path, fmt::format("not a {}", kFormat));
    InstallJournal journal{
        json.at("hub").get<std::string>(),
        {json.at("revision").get<std::string>(), json.at("pin").get<std::string>()},
        json.at("created").get<std::string>(),
        {}};
    for (const auto& item : json.at("actions")) {
      const auto* kind =
          std::find(std::begin(kKinds), std::end(kKinds), item.at("action").get<std::string>());
      InstallAction action{static_cast<InstallKind>(kind - std::begin(kKinds)),
                           item.at("file").get<std::string>(), item.at("before").get<std::string>(),
                           item.at("after").get<std::string>()};
      if (kind == std::end(kKinds)) return Bad(path, "an unknown action for " + action.file);
      if (!core::IsInnerPath(action.file)) return Bad(path, action.file + " is outside the folder");
      journal.actions.push_back(std::move(action));
    }
    return std::optional<InstallJournal>(std::move(journal));
  } catch (const nlohmann::json::exception& error) {
    return Bad(path, error.what());
  }
}

}  // namespace tunehub::agent
