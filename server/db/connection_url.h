// A database at one of several hosts, in any form that libpq reads.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tunehub::server {

// Whether the URL, the environment or a service file names several hosts, without
// target_session_attrs to choose one.
bool MeansAnyOfSeveral(const std::string& url);

struct OneHost {
  std::string name;  // "db1:5432"; "the local socket" where none is named
  std::string url;   // the same database, at this host alone
};

std::string NameOf(const std::string& host, const std::string& port);

// Sets an option of the URL, in place of an earlier value.
void Override(std::string& url, std::string_view name, std::string_view value);

// In the order of attempts. A single one if there is one host, or if libpq must see all to choose
// (target_session_attrs=prefer-standby).
std::vector<OneHost> HostsOf(const std::string& url);

// The URL with these hosts tried last.
std::string WithLast(const std::string& url, const std::set<std::string>& names);

// The settings of every session, as SQL, whatever the database, its role or the URL set.
std::string SessionSettings();

// The URL's connection as environment variables ("PGHOST" and so on) for PostgreSQL's own programs,
// because every user of the machine can read a command line. Options that the URL lacks keep the
// programs' defaults. Error bad_setting.
core::Result<std::map<std::string, std::string>> ConnectionEnvironment(const std::string& url);

}  // namespace tunehub::server
