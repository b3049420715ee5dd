// One agent's folder: who it is at the hub, that no other process is the same one, and what it is
// doing.
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
  // Below the folder beside the spool, one for each name of an agent: "agents/node7_0000:c1:00.0".
  static std::filesystem::path DefaultFolder(const std::string& agent);
  // The folder of all of these.
  static std::filesystem::path DefaultParent();

  // Makes the folder, and locks it for the life of this process. The id in it is kept from start to
  // start, and is another for another name: a folder that was copied to a second host is a second
  // instance. Errors: already_runs, file_unwritable.
  static core::Result<Instance> Open(const std::filesystem::path& folder, const std::string& agent);

  const std::string& id() const { return id_; }

 private:
  core::Fd lock_;
  std::string id_;
};

// What the daemon is doing, as a file that `tunehub-agent status` reads.
class StatusFile {
 public:
  // Of the agent with that folder, where nothing else is asked for.
  static std::filesystem::path PathIn(const std::filesystem::path& state) {
    return state / "status.json";
  }
  // `facts`: what does not change while the daemon runs.
  StatusFile(const std::filesystem::path& path, nlohmann::ordered_json facts)
      : path_(std::filesystem::absolute(path)), status_(std::move(facts)) {}

  // Sets the members and writes the file. A failure is kept to itself: tuning matters more.
  void Set(const nlohmann::ordered_json& members);

 private:
  std::filesystem::path path_;
  std::mutex mutex_;
  nlohmann::ordered_json status_;
};

}  // namespace tunehub::agent
