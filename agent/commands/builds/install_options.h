// What a user says to `tunehub-agent install`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/hub/retry.h"
#include "core/base/result.h"
#include "core/row/target.h"

namespace tunehub::agent {

// What AITER's GPU_ARCHS says for the GPU of the host that builds.
inline constexpr char kNativeGpu[] = "native";

struct InstallOptions {
  std::string folder;
  std::string reader;                  // whose files, in place of AITER's tables; "": these
  std::string family;                  // which of a reader's stores; "": the one without a variable
  std::string device;                  // of a reader's files; "": all
  std::vector<std::string> query;      // name=value: what else GET /tree/{reader} takes
  std::string tree;                    // a file of it, in place of a hub
  std::string hub;                     // for the manifest
  std::string gpu_archs;               // "": everything that the hub has
  std::optional<core::Target> native;  // this host's GPU, where gpu_archs is kNativeGpu
  std::string device_root = "/";       // below which /sys tells of it
  std::string build;       // the name to send the tree's manifest under; "": the tree's own
  bool any_build = false;  // also rows that the tree cannot run
  bool measured_only = false;
  bool rebuild = false;  // the modules that rows wait for
  bool undo = false;
  bool force = false;  // also where something is lost
  bool all = false;    // list every row that would be lost
  bool json = false;
  RetryPolicy retry;
  std::function<void()> after_step;  // see Installer
};

// Finds out `native`, for a hub cannot know it. Errors: no_device.
core::Status ResolveNative(InstallOptions& options);

}  // namespace tunehub::agent
