#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/read_json.h"
#include "core/base/text.h"
#include "core/row/cell.h"
#include "server/insight/differences.h"

namespace tunehub::server {
namespace {

constexpr const char* kLockCode = "bad_lock";

// Reads "gfx942", "gfx942:304" or "MI300X". Other text gives a target that no row has.
core::Target TargetIn(const core::Devices& devices, std::string_view text) {
  const std::size_t colon = text.find(':');
  core::Target target{std::string(text.substr(0, colon))};
  if (const core::Device* const device = devices.Find(target.gfx))
    target = {device->gfx, device->cu_num};
  if (colon != std::string_view::npos)
    target.cu_num = core::ParseInt(text.substr(colon + 1)).value_or(0);
  return target;
}

// The targets in a table's query. Ignores other filters, because the request has its own filters.
std::vector<core::Target> TargetsIn(const core::Devices& devices, std::string_view query) {
  std::vector<core::Target> targets;
  int cu_num = 0;
  for (const std::string_view part : core::SplitAt(query, "&")) {
    if (part.empty()) continue;
    const std::size_t equals = std::min(part.find('='), part.size() - 1);
    const std::string_view name = part.substr(0, equals), value = part.substr(equals + 1);
    if (name == "cu_num") cu_num = core::ParseInt(value).value_or(0);
    if (name != "gfx" && name != "target" && name != "gpu_archs") continue;
    for (const std::string_view text : core::SplitAt(value, ";,")) {
      if (!text.empty()) targets.push_back(TargetIn(devices, text));
    }
  }
  for (core::Target& target : targets) {
    if (target.cu_num == 0) target.cu_num = cu_num;
  }
  return targets;
}

core::Pin PinIn(core::JsonObject& table) {
  core::Pin pin{table.Integer("revision", -1), table.Text("token")};
  const auto valid = core::ParsePin(pin.Text());
  if (!pin.has_token() || !valid || *valid != pin)
    table.Fail("revision",
               fmt::format("'{}': expected a revision and its token, such as 17-0f3a...",
                           core::Excerpt(pin.Text())));
  return pin;
}

void AddTable(const Definitions& definitions, core::JsonObject table, LockRevisions& lock) {
  if (table.Has("reader")) {
    lock.left_out.push_back(fmt::format("{}: this entry is an engine's tree of files",
                                        core::Excerpt(table.Text("reader"))));
    return;
  }
  const std::string name = table.Text("family");
  const core::Family* const family = definitions.families.Find(name);
  LockedRevision locked{family, PinIn(table),
                        TargetsIn(definitions.targets.devices(), table.Text("query", ""))};
  if (family != nullptr)
    lock.tables.push_back(std::move(locked));
  else
    lock.left_out.push_back(
        fmt::format("{}: this hub does not have the family", core::Excerpt(name)));
}

}  // namespace

core::Result<LockRevisions> ReadLock(const Definitions& definitions, std::string_view text) {
  core::JsonErrors errors("tunehub.lock", kLockCode);
  const nlohmann::json json = core::ParseJson(text, errors);
  if (errors.any()) return errors.first();
  core::JsonObject root(json, "", errors);
  LockRevisions lock;
  auto tables = root.Objects("tables");
  if (!errors.any() && tables.empty()) root.Fail("tables", "is empty");
  if (tables.size() > kMostLocked)
    root.Fail("tables", fmt::format("has more than {} entries", kMostLocked));
  if (errors.any()) return errors.first();
  for (core::JsonObject& table : tables) AddTable(definitions, std::move(table), lock);
  if (errors.any()) return errors.first();
  return lock;
}

}  // namespace tunehub::server
