// The server's settings: a flag, then the environment (TUNEHUB_<NAME>), then configs/server.json.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>

#include "core/result.h"

namespace tunehub::server {

struct Settings {
  std::string listen_host;
  unsigned short listen_port = 0;
  std::filesystem::path data;     // DIR of the embedded PostgreSQL; unused where `database` is given
  std::string database;           // libpq URL or keywords; "": embedded
  std::filesystem::path configs;  // the folder with families/ and targets.json
  bool reads_need_key = false;
  unsigned workers = 0;
  std::size_t database_connections = 0;
  std::size_t cache_bytes = 0;
  std::size_t body_bytes = 0;
  std::string log_level;
};

// `flags`: the settings given on the command line, by their names in the file. `config_file`: "" means
// configs/server.json. Errors (bad_setting) name the setting, where it came from, and what is allowed.
core::Result<Settings> LoadSettings(const std::map<std::string, std::string>& flags,
                                    const std::filesystem::path& config_file);

}  // namespace tunehub::server
