// What the daemon is doing, as a file that `tunehub-agent status` reads.
#pragma once

#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>

#include "core/base/result.h"

namespace tunehub::agent {

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

// Errors: file_not_found, file_unreadable, bad_status.
core::Result<nlohmann::ordered_json> ReadStatus(const std::filesystem::path& path);

}  // namespace tunehub::agent
