// One agent's folder: who it is at the hub, and that no other process is the same one.
#pragma once

#include <filesystem>
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

}  // namespace tunehub::agent
