#include "agent/daemon/status_file.h"

#include <chrono>

#include "core/base/plain_text.h"
#include "core/base/read_json.h"
#include "core/base/rfc3339.h"
#include "core/system/atomic_file.h"
#include "core/system/file_bytes.h"

namespace tunehub::agent::daemon {

void StatusFile::Set(const nlohmann::ordered_json& members) {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, value] : members.items()) {
    status_[name] = value;
    if (value.is_string()) status_[name] = core::PlainText(value.get_ref<const std::string&>());
  }
  status_["updated"] = core::UtcText(std::chrono::system_clock::now());
  if (!core::MakeFolder(path_.parent_path()).ok()) return;
  (void)core::WriteAtomically(
      path_, status_.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

core::Result<nlohmann::ordered_json> ReadStatus(const std::filesystem::path& path) {
  const auto bytes = core::FileBytes::Read(path);
  if (!bytes.ok()) return bytes.error();
  auto json = core::ReadJsonAs<nlohmann::ordered_json>(bytes->view());
  if (json.is_object()) return json;
  return core::Error{"bad_status", path.string() + " is no JSON object"};
}

}  // namespace tunehub::agent::daemon
