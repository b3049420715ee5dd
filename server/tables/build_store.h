// Stores manifests in PostgreSQL. Every call may throw Unavailable. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "server/db/writer.h"

namespace tunehub::server {

class ConnectionPool;

struct BuildContent {
  std::string name, sha256, kind;
  std::string summary;   // JSON, for display
  std::string manifest;  // canonical
};

struct BuildRecord {
  std::int64_t put = 0;  // number in the order of uploads; a repeated upload gets a new number
  std::string name, sha256, kind, created, summary;
};

struct PutBuild {
  BuildRecord record;
  bool created = false;  // false: the name already had this manifest, which is now the newest again
};

class BuildStore {
 public:
  explicit BuildStore(ConnectionPool& pool) : pool_(pool) {}

  // Errors: not_owner (the name belongs to another owner).
  core::Result<PutBuild> Put(const BuildContent& content, const Writer& by);
  // Errors: not_owner (the writer may not put manifests under the name).
  core::Status MayPut(const std::string& name, const Writer& by);
  // `sha256` "": the newest manifest of the name.
  std::optional<BuildRecord> Find(const std::string& name, const std::string& sha256);
  std::optional<std::string> Manifest(const std::string& name, const std::string& sha256);
  // Returns the newest first. `name` and `sha256` may be "" (any).
  std::vector<BuildRecord> List(std::int64_t before_put, const std::string& name, std::size_t limit,
                                const std::string& sha256 = "");
  // Returns the newest names first.
  std::vector<std::string> Names(std::size_t limit);

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::server
