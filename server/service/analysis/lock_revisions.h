// Which revisions a tunehub.lock pins: what a build was made from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/pin.h"
#include "core/base/result.h"
#include "core/shapes/shape.h"
#include "server/service/registry/definitions.h"

namespace tunehub::service {

inline constexpr std::size_t kMaxLockBytes = 1024 * 1024;
inline constexpr std::size_t kMostLocked = 1'000;  // tables

struct LockedRevision {
  const core::Family* family = nullptr;
  core::Pin revision;
  std::vector<core::Target> targets;  // of its rows; empty: all
};

struct LockRevisions {
  std::vector<LockedRevision> tables;
  // Entries that are no table of a family here, with the reason: an engine's tree, say.
  std::vector<std::string> left_out;
};

// Error bad_lock, which names the place within the file.
core::Result<LockRevisions> ReadLock(const Definitions& definitions, std::string_view text);

}  // namespace tunehub::service
