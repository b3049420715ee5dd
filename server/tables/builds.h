// Stores manifests of builds and finds them by name or digest. Caches parsed manifests, because
// every table for a build needs one.
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

// A query names a build as NAME (the newest manifest of that name) or as NAME@SHA256 (exactly that
// manifest).

inline constexpr std::size_t kMaxBuildNameBytes = 100;

struct BuildName {
  std::string name;
  std::string sha256;  // "": the newest

  bool pinned() const { return !sha256.empty(); }
  std::string Text() const { return pinned() ? name + "@" + sha256 : name; }
};

// Errors: bad_build_name.
core::Result<BuildName> ParseBuildName(std::string_view text);

struct Build {
  BuildName name;  // pinned
  core::Manifest manifest;
};
std::size_t SizeOf(const Build& build);

// Checks that the manifest `after` may replace `before`, the newest manifest of a name.
using ManifestGuard =
    std::function<core::Status(const core::Manifest& before, const core::Manifest& after)>;

class Builds {
 public:
  Builds(const core::Families& families, ConnectionPool& pool);

  // A name belongs to the owner of the API key that stored it first. Any API key may store the
  // newest manifest again, which changes nothing. Errors:
  // - Those of ParseBuildName, ParseManifest and the guard.
  // - key_limited, not_owner.
  // - no_known_kernel: no family has any module of the manifest.
  // - other_digest: the name pins another manifest.
  core::Result<PutBuild> Put(std::string_view name, std::string_view manifest, const Writer& by,
                             std::vector<core::RowIssue>& issues, const ManifestGuard& guard = {});

  // Errors: unknown_build, with the existing names. If the database does not respond, answers from
  // memory or throws Unavailable.
  core::Result<std::shared_ptr<const Build>> Find(const BuildName& name);
  core::Result<BuildRecord> Record(const BuildName& name);
  // Returns the newest builds first. If `name` is "", returns builds of every name.
  std::vector<BuildRecord> List(std::int64_t before_put, const std::string& name,
                                std::size_t limit);

 private:
  core::Result<std::string> Newest(const std::string& name);
  // Checks that the manifest may replace `newest`. Errors: not_owner, those of the guard.
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
