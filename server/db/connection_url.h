// A database on one of several hosts, in any form that libpq reads.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tunehub::server {

// True if the URL, the environment or a service file names several hosts, and no
// target_session_attrs chooses one.
bool MeansAnyOfSeveral(const std::string& url);

struct OneHost {
  std::string name;  // "db1:5432"; "the local socket" if the URL names no host
  std::string url;   // the same database on this host alone
};

std::string NameOf(const std::string& host, const std::string& port);

// Sets an option of the URL. It replaces an earlier value.
void Override(std::string& url, std::string_view name, std::string_view value);

// The hosts in the order of attempts. Only one entry if the URL has one host, or if libpq must see
// all hosts to choose (target_session_attrs=prefer-standby).
std::vector<OneHost> HostsOf(const std::string& url);

// The URL with these hosts last.
std::string WithLast(const std::string& url, const std::set<std::string>& names);

// SQL for the settings of every session. They override those of the database, its role and the URL.
std::string SessionSettings();

// The URL's connection as environment variables ("PGHOST" and so on) for PostgreSQL's own programs.
// A command line would show passwords to every user of the machine. For options that the URL lacks,
// the programs use their defaults. Error bad_setting.
core::Result<std::map<std::string, std::string>> ConnectionEnvironment(const std::string& url);

}  // namespace tunehub::server
