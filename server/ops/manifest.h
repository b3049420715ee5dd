// Reads and writes manifest.json, the description of a backup.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "server/ops/backup_store.h"

namespace tunehub::server {

inline constexpr const char* kManifestFile = "manifest.json";
inline constexpr const char* kDumpFolder = "database";  // pg_dump's output

struct Part {
  std::string name;  // relative to the backup, with '/'
  std::uint64_t bytes = 0;
  std::string sha256;  // hex
};

struct BackupManifest {
  std::string made;     // RFC 3339
  std::string program;  // tunehub's version
  HubState hub;
  std::vector<Part> parts;  // by name

  std::string Text() const;  // contains a digest of the rest of the text
  std::uint64_t bytes() const;
};

// Errors: no_backup (the manifest is missing), bad_backup (with the file and its fault).
core::Result<BackupManifest> ReadManifest(const std::filesystem::path& backup);

// Returns the files below `backup` without the manifest, with their digests. Errors:
// file_unreadable; bad_backup if an entry is not a plain file.
core::Result<std::vector<Part>> DigestParts(const std::filesystem::path& backup);

// Reads the manifest and every part. Errors: those of ReadManifest and DigestParts; bad_backup,
// with all parts that are missing, damaged or not in the manifest.
core::Result<BackupManifest> CheckBackup(const std::filesystem::path& backup);

}  // namespace tunehub::server
