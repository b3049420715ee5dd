// The server's settings: a flag, then the environment (TUNEHUB_<NAME>), then a file of one's own,
// then configs/server.json.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <map>
#include <string>

#include "core/base/result.h"
#include "server/fairness.h"
#include "server/log/log.h"
#include "server/store/queue/queue_records.h"

namespace tunehub::server {

struct Settings {
  std::string listen_host;
  unsigned short listen_port = 0;
  std::filesystem::path tls_certificate, tls_key;  // both, or none: plain HTTP
  std::chrono::seconds hsts{0};  // over TLS: how long browsers ask this host by HTTPS alone
  std::filesystem::path data;    // DIR of the embedded PostgreSQL; unused where `database` is given
  std::string database;          // libpq URL or keywords; "": embedded
  std::filesystem::path wal_archive;  // where the embedded PostgreSQL keeps its WAL; "": nowhere
  std::filesystem::path backups;      // where they are made each night; "": see BackupsOf
  std::filesystem::path configs;      // the folder with families/ and targets.json
  std::filesystem::path web;          // the built dashboard, of the program's own tree
  bool reads_need_key = false;
  bool plan_on_claim = true;  // a claim that finds no job plans what is demanded
  unsigned reactors = 0;      // threads of the transport; 0: one per processor
  Fairness fairness;
  std::size_t database_connections = 0;
  std::size_t cache_bytes = 0;
  std::size_t past_bytes = 0;
  std::size_t body_bytes = 0;
  std::chrono::milliseconds header_deadline{0};  // for a whole request head, and a TLS handshake
  std::chrono::milliseconds body_deadline{0};    // for a body, beside the time that its size allows
  std::chrono::milliseconds lame_duck{0};        // SIGTERM: not ready, and yet served, for so long
  store::QueueTimes queue;
  std::string log_level;
  log::Format log_format = log::Format::kText;
  bool access_log = false;  // a line for each answer
  std::string user;         // whom a server that is started as root becomes; "": see leave_root.h
};

// Where backups are made: the setting, else where the package's timer makes them, if that folder is
// there; "": nowhere.
std::filesystem::path BackupsOf(const Settings& settings);

// The flag of a setting: "--tls-key" of tls_key.
std::string FlagOf(std::string setting);

// `flags`: the settings given on the command line, by their names in the file. `config_file`: ""
// means that of the installation, where it has one. Errors (bad_setting) name the setting, where it
// came from, and what is allowed.
core::Result<Settings> LoadSettings(const std::map<std::string, std::string>& flags,
                                    const std::filesystem::path& config_file);

}  // namespace tunehub::server
