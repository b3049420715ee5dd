// A folder for the files of one run of a command.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "core/base/file.h"
#include "core/base/result.h"

namespace tunehub::agent {

// The destructor removes the folder.
class WorkFolder {
 public:
  explicit WorkFolder(std::filesystem::path path) : path_(std::move(path)) { Remove(); }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  ~WorkFolder() { Remove(); }
  core::Status Make() const { return core::MakeFolder(path_); }
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  void Remove() const {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path path_;
};

}  // namespace tunehub::agent
