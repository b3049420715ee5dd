// What builds can run: manifests are put in, and found by name or digest. Parsed ones are kept,
// since every table for a build needs its manifest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/builds/manifest.h"
#include "core/family/families.h"
#include "server/db/connection_pool.h"
#include "server/snapshots/kept.h"
#include "server/tables/build_store.h"

namespace tunehub::server {

// How a build is asked for: NAME, the newest manifest that was put under it, or NAME@SHA256, that
// very one.

inline constexpr std::size_t kMaxBuildNameBytes = 100;

struct BuildName {
  std::string name;
  std::string sha256;  // "": the newest

  bool pinned() const { return !sha256.empty(); }
  std::string Text() const { return pinned() ? name + "@" + sha256 : name; }
};

// Error bad_build_name.
core::Result<BuildName> ParseBuildName(std::string_view text);

struct Build {
  BuildName name;  // pinned
  core::Manifest manifest;
};
std::size_t SizeOf(const Build& build);

// Judges the manifest that would take the place of a name's newest.
using ManifestGuard =
    std::function<core::Status(const core::Manifest& before, const core::Manifest& after)>;

class Builds {
 public:
  Builds(const core::Families& families, ConnectionPool& pool);

  // A name belongs to the owner of the key that put it first; what is its newest manifest already
  // changes nothing, whoever sends it. Errors: those of ParseBuildName and ParseManifest,
  // no_known_kernel (no family has one of its modules), other_digest (the name is pinned to other
  // bytes), key_limited, not_owner, and those of the guard.
  core::Result<PutBuild> Put(std::string_view name, std::string_view manifest, const Writer& by,
                             std::vector<core::RowIssue>& issues, const ManifestGuard& guard = {});

  // Error unknown_build, with the names there are. While the database is gone, what was found
  // before; else throws Unavailable.
  core::Result<std::shared_ptr<const Build>> Find(const BuildName& name);
  core::Result<BuildRecord> Record(const BuildName& name);
  // The newest first; `name` "": of every name.
  std::vector<BuildRecord> List(std::int64_t before_put, const std::string& name,
                                std::size_t limit);

 private:
  core::Result<std::string> Newest(const std::string& name);
  // Whether it may take the place of `newest`. Errors: not_owner, those of the guard.
  core::Status MayReplace(const BuildRecord& newest, const core::Manifest& manifest,
                          const Writer& by, const ManifestGuard& guard);
  core::Error Unknown(const BuildName& name);

  const core::Families& families_;
  ConnectionPool& pool_;
  Kept<Build> kept_;  // by their pinned names
  std::mutex mutex_;
  std::map<std::string, std::string> newest_;  // guarded by mutex_; digest by name
};

}  // namespace tunehub::server
