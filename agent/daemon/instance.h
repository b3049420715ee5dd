// An agent's state folder: its identity at the hub, a lock against a second process, and its status
// file.
#pragma once

#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/file.h"
#include "core/base/result.h"

namespace tunehub::agent {

class Instance {
 public:
  // Returns a folder beside the spool, one per agent name: "agents/node7_0000:c1:00.0".
  static std::filesystem::path DefaultFolder(const std::string& agent);
  // Returns the folder that contains the default folders of all agents.
  static std::filesystem::path DefaultParent();

  // Makes the folder, and locks it for the life of this process. The id stays the same across
  // restarts. An agent with another name gets another id. So a folder that was copied to a second
  // host becomes a second instance. Errors: already_runs, file_unwritable.
  static core::Result<Instance> Open(const std::filesystem::path& folder, const std::string& agent);

  const std::string& id() const { return id_; }

 private:
  core::Fd lock_;
  std::string id_;
};

// Writes the daemon's status to a file, which `tunehub-agent status` reads.
class StatusFile {
 public:
  // The default path in an agent's state folder.
  static std::filesystem::path PathIn(const std::filesystem::path& state) {
    return state / "status.json";
  }
  // `facts`: members that do not change while the daemon runs.
  StatusFile(const std::filesystem::path& path, nlohmann::ordered_json facts)
      : path_(std::filesystem::absolute(path)), status_(std::move(facts)) {}

  // Sets the members and writes the file. Ignores write errors, since tuning must continue.
  void Set(const nlohmann::ordered_json& members);

 private:
  std::filesystem::path path_;
  std::mutex mutex_;
  nlohmann::ordered_json status_;
};

}  // namespace tunehub::agent
