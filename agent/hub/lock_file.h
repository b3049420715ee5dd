// tunehub.lock pins the bytes of a build's tables, so that the next build gets the same bytes.
//
//   {"hub": "http://hub:8080",
//    "key": "RWQ...",   of the signatures; absent: none was seen
//    "tables": [{"family": "fmoe", "query": "gfx=gfx942", "revision": 7, "token": "0f3a...",
//                "sha256": "...", "file": "tuned_fmoe.csv"},
//               {"reader": "vllm", "query": "device=MI300X", ..., "file": "configs"}]}
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/pin.h"
#include "core/base/result.h"

namespace tunehub::agent {

struct LockedTable {
  std::string family;         // either this or `reader`
  std::string reader;         // the reader of a tree
  std::string query;          // the query of the request, not encoded and without the revision
  core::Pin revision;         // with its token
  std::string sha256;         // digest of the file; for a tree, Tree::sha256
  std::string file;           // path of the pulled file or folder
  std::string channel = {};   // the channel that named the revision; "": none
  std::int64_t sequence = 0;  // the number of the channel's statement
};

struct LockFile {
  std::string hub;
  std::string key;  // core::PublicKey::Text(); "": none
  std::vector<LockedTable> tables;

  // A file that does not exist is an empty lock. Errors: bad_lock, file_unreadable.
  static core::Result<LockFile> Load(const std::filesystem::path& path);
  core::Status Save(const std::filesystem::path& path) const;
  // Adds the entry, or replaces the entry with the same query and the same family or reader. Also
  // sets the key unless it is "". Reads the file again, since another process may have changed it.
  // Errors: bad_lock, file_unreadable, file_unwritable.
  static core::Status Add(const std::filesystem::path& path, const std::string& hub,
                          const std::string& key, LockedTable table);

  const LockedTable* Find(std::string_view family, std::string_view reader,
                          std::string_view query) const;
  // The newest revision of the tables, without tables of channels. If there is none, its number is
  // below 0.
  core::Pin Newest() const;
};

}  // namespace tunehub::agent
