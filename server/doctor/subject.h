// What is looked at: the settings as `serve` would have them, and what was found of their hub.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "server/embedded/db_user.h"
#include "server/store/store.h"

namespace tunehub::doctor {

// A server that runs with these settings, as far as it says so.
struct Running {
  pid_t pid = 0;        // 0: another user's process, or behind something
  int ready = 0;        // the status of /readyz
  std::string why_not;  // its words, where that is none of 200
  std::map<std::string, double> metrics;
};

struct Subject {
  std::string listen_host;
  unsigned short listen_port = 0;
  std::filesystem::path tls_certificate, tls_key;  // "": plain HTTP
  std::filesystem::path data;                      // of the embedded PostgreSQL
  std::filesystem::path wal_archive, backups;      // "": none
  std::string database;                            // another one's URL; "": embedded
  std::filesystem::path configs, web;
  std::size_t connections = 0, descriptors = 0;  // wanted, and the files that they take
  std::size_t budget_bytes = 0;                  // of memory, all together
  embedded::DatabaseUser user;                   // whom the server runs as

  std::optional<Running> running;  // filled in by the check of the server
  store::Store* store = nullptr;   // null: nobody can be asked
  bool has_schema = false;         // of this program; filled in by the check of the schema

  bool is_embedded() const { return database.empty(); }
};

}  // namespace tunehub::doctor
