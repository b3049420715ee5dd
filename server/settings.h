// The server's settings. Each setting is a row of AllSettings. A flag overrides a variable
// (TUNEHUB_<NAME>), and a variable overrides a member of the settings file.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "server/http/listener.h"
#include "server/http/post.h"
#include "server/keys/sign_in.h"
#include "server/log/log.h"
#include "server/queue/lease_store.h"

namespace tunehub::server {

struct Settings {
  http::ListenerOptions listener;                  // without the certificate
  std::filesystem::path tls_certificate, tls_key;  // both, or neither for plain HTTP
  std::filesystem::path data;         // folder of the embedded PostgreSQL; unused with `database`
  std::string database;               // libpq URL or keywords; "": embedded
  std::filesystem::path wal_archive;  // the embedded PostgreSQL's WAL archive; "": none
  std::filesystem::path backups;      // the folder of nightly backups; "": see BackupsOf
  std::filesystem::path signing_key;  // the secret that signs answers
  std::filesystem::path configs;      // the folder with families/ and targets.json
  std::filesystem::path web;          // the built dashboard, from the program's own folders
  bool reads_need_key = false;
  std::string user_header;            // names the user whom a trusted proxy checked; "": off
  std::filesystem::path user_owners;  // who may sign in so; "": every user
  SignIn sign_in;                     // made from both
  bool plan_on_claim = false;         // true: a claim that finds no job makes jobs from demand
  std::array<double, http::kRatedPools> limits =
      {};  // requests per second of one API key or address
  std::size_t database_connections = 0;
  std::size_t cache_bytes = 0;
  // after SIGTERM: how long the server serves while /readyz reports 503
  std::chrono::milliseconds lame_duck{0};
  // after SIGTERM: how long the server answers requests in flight
  std::chrono::milliseconds drain{0};
  QueueTimes queue;
  std::size_t retention_days = 0;  // 0: the hub deletes nothing
  http::WebAddress webhook;        // where events are posted; no host: nowhere
  int confirm_factor = 0;          // the argument of DefinitionStore::ApplyConfirmFactor
  Usage quotas;                    // quotas of an API key for one day
  std::string log_level;
  log::Format log_format = {};
  std::string user;  // the user as whom a server runs if root starts it; "": see leave_root.h
};

// A setting's value, and where it comes from.
struct Given {
  std::string_view name;
  std::string text;
  std::string from;  // "--listen", "TUNEHUB_LISTEN", "/etc/tunehub/server.json"
  std::size_t number = 0;
};

struct Setting {
  std::string_view name;
  std::string_view help;
  void (*take)(Settings&, const Given&);  // stores the value; may call Refuse
  // The default: a text, the first of several choices, or a number.
  std::string_view text = "";
  std::array<std::string_view, 4> choices = {};
  std::size_t number = 0, least = 0, most = 0;  // most = 0: not a number

  std::string Default() const;
  std::string Flag() const;  // "--tls-key" of tls_key
  std::vector<std::string_view> Choices() const;
};

std::span<const Setting> AllSettings();
const Setting* FindSetting(std::string_view name);

// Ends LoadSettings with an error that contains this value and the allowed values.
[[noreturn]] void Refuse(const Given& given, const std::string& allowed);

// Returns the folder of backups: the setting, or else the folder of the package's timer if it
// exists, or else "".
std::filesystem::path BackupsOf(const Settings& settings);

// `flags`: settings of the command line, by name. `config_file`: "" means the installation's file,
// if it exists. Errors: bad_setting, with the setting, its origin and the allowed values.
core::Result<Settings> LoadSettings(const std::map<std::string, std::string>& flags,
                                    const std::filesystem::path& config_file);

}  // namespace tunehub::server
