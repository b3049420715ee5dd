// What builds can run: manifests are put in, and found by name or digest. Parsed ones are kept,
// since every table for a build needs its manifest.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/builds/manifest.h"
#include "core/family/families.h"
#include "server/service/registry/build_name.h"
#include "server/store/store.h"

namespace tunehub::service {

using store::BuildRecord;

struct Build {
  BuildName name;  // pinned
  core::Manifest manifest;
};

struct PutBuild {
  BuildRecord record;
  bool created = false;
};

class Builds {
 public:
  Builds(const core::Families& families, store::Store& store)
      : families_(families), store_(store) {}

  // Errors: those of ParseBuildName and ParseManifest, no_known_kernel (no family has one of its
  // modules), other_digest (the name is pinned to other bytes).
  core::Result<PutBuild> Put(std::string_view name, std::string_view manifest,
                             const store::Writer& by, std::vector<core::RowIssue>& issues);

  // Error unknown_build, with the names there are. While the database is gone, what was found
  // before; else throws Unavailable.
  core::Result<std::shared_ptr<const Build>> Find(const BuildName& name);
  core::Result<BuildRecord> Record(const BuildName& name);
  // The newest first; `name` "": of every name.
  std::vector<BuildRecord> List(std::int64_t before_put, const std::string& name,
                                std::size_t limit);

 private:
  core::Result<std::string> Newest(const std::string& name);
  std::shared_ptr<const Build> Kept(const std::string& pinned);
  void Keep(std::shared_ptr<const Build> build);
  core::Error Unknown(const BuildName& name);

  const core::Families& families_;
  store::Store& store_;
  std::mutex mutex_;
  std::list<std::shared_ptr<const Build>> kept_;  // guarded by mutex_; most recent first
  std::map<std::string, std::string> newest_;     // guarded by mutex_; digest by name
};

}  // namespace tunehub::service
