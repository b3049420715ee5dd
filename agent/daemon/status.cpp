#include "agent/daemon/status.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ostream>

#include "agent/base/command.h"
#include "agent/daemon/command_run.h"
#include "agent/daemon/instance.h"
#include "agent/hub/spool.h"
#include "core/base/atomic_file.h"
#include "core/base/file.h"
#include "core/base/read_json.h"
#include "core/base/rfc3339.h"
#include "core/base/text.h"

namespace tunehub::agent {

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

namespace {

namespace fs = std::filesystem;

// The file that was named, or those of all agents that ever ran as this user.
std::vector<fs::path> Files(const std::string& path) {
  if (!path.empty()) return {path};
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& folder : fs::directory_iterator(Instance::DefaultParent(), error)) {
    if (fs::exists(StatusFile::PathIn(folder.path()), error)) {
      files.push_back(StatusFile::PathIn(folder.path()));
    }
  }
  std::ranges::sort(files);
  return files;
}

bool Runs(const nlohmann::ordered_json& status) {
  const auto pid = status.value("pid", 0);
  return pid > 0 && (::kill(pid, 0) == 0 || errno == EPERM) &&
         status.value("doing", "") != "stopped";
}

// What changes without the daemon, or while it is busy, is looked at now.
void LookAtSpool(nlohmann::ordered_json& status) {
  const std::string spool = status.value("spool", "");
  if (spool.empty()) return;
  status["waiting"] = Spool::CountWaiting(spool);
  if (const auto aside = Spool::CountAside(spool); aside > 0) status["set_aside"] = aside;
}

void Print(const nlohmann::ordered_json& status, std::ostream& out) {
  for (const auto& [name, value] : status.items()) {
    if (value.is_null() || value == "") continue;
    out << name << ": " << (value.is_string() ? value.get<std::string>() : value.dump()) << '\n';
  }
}

}  // namespace

int RunStatus(int argc, char** argv, Console& console) {
  std::string path;
  bool json = false;
  cli::CommandLine line(
      "What the daemons of this host are doing, and what is wrong. Exit code 1: one does not run.",
      "tunehub-agent status");
  line.Add("--status", path,
           "the file that one `tunehub-agent run` writes; default: those of all agents "
           "beside the spool ($TUNEHUB_SPOOL, else ~/.local/state/tunehub/spool)")
      .Env("TUNEHUB_STATUS");
  line.AddFlag("--json", json, "as JSON, one line for each");
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  const auto files = Files(path);
  if (files.empty()) {
    return Fail(console, "status",
                {"file_not_found", Instance::DefaultParent().string() + ": no agent has run here"});
  }
  int code = kGood;
  for (const fs::path& file : files) {
    auto status = ReadStatus(file);
    if (!status.ok()) return Fail(console, "status", status.error());
    const bool runs = Runs(*status);
    if (!runs) code = kFinding;
    LookAtSpool(*status);
    (*status)["runs"] = runs;
    if (json) {
      console.out << status->dump() << '\n';
      continue;
    }
    if (&file != &files.front()) console.out << '\n';
    Print(*status, console.out);
  }
  return code;
}

}  // namespace tunehub::agent
