#include "agent/daemon/instance.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

#include "agent/hub/spool.h"
#include "core/base/process.h"
#include "core/base/read_json.h"
#include "core/base/rfc3339.h"
#include "core/base/text.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kMode = 0600;
constexpr std::size_t kIdBytes = 36;

// Returns the id of the agent with that name. Returns "" if the file does not exist or belongs to
// another agent.
std::string ReadId(const fs::path& path, const std::string& agent) {
  const auto bytes = core::FileBytes::Read(path);
  if (!bytes.ok()) return "";
  const auto json = core::ReadJson(bytes->view());
  if (!json.is_object() || json.value("agent", nlohmann::json()) != agent) return "";
  const auto id = json.find("instance");
  const bool sound =
      id != json.end() && id->is_string() && id->get_ref<const std::string&>().size() == kIdBytes;
  return sound ? id->get<std::string>() : "";
}

// Returns the process that has the lock, from the lock file's text.
std::string HolderOf(int lock) {
  std::array<char, 32> text{};
  const ssize_t size = ::pread(lock, text.data(), text.size() - 1, 0);
  return size > 0 ? fmt::format(" (process {})",
                                std::string_view(text.data(), static_cast<std::size_t>(size)))
                  : "";
}

}  // namespace

fs::path Instance::DefaultParent() {
  return Spool::DefaultFolder().parent_path() / "agents";
}

fs::path Instance::DefaultFolder(const std::string& agent) {
  std::string name = agent;
  std::ranges::replace(name, '/', '_');
  return DefaultParent() / name;
}

core::Result<Instance> Instance::Open(const fs::path& folder, const std::string& agent) {
  if (auto status = core::MakeFolder(folder); !status.ok()) return status.error();
  const fs::path lock = folder / "lock", file = folder / "instance.json";
  Instance instance;
  instance.lock_ = core::Fd(::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kMode));
  if (!instance.lock_.ok()) {
    return core::Unwritable(lock, errno);
  }
  if (::flock(instance.lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    return core::Error{"already_runs",
                       fmt::format("another agent{} already uses {}. Give the new agent another "
                                   "--device, --cpus or --state",
                                   HolderOf(instance.lock_.get()), folder.string())};
  }
  const std::string pid = std::to_string(::getpid());
  if (::ftruncate(instance.lock_.get(), 0) != 0 ||
      ::pwrite(instance.lock_.get(), pid.data(), pid.size(), 0) < 0) {
    return core::Unwritable(lock, errno);
  }
  instance.id_ = ReadId(file, agent);
  if (!instance.id_.empty()) return instance;
  instance.id_ = core::RandomUuid();
  const nlohmann::ordered_json json = {{"instance", instance.id_}, {"agent", agent}};
  if (auto status = core::WriteDurably(file, json.dump() + "\n"); !status.ok())
    return status.error();
  return instance;
}

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

}  // namespace tunehub::agent
