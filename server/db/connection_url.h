// Reads the URL of a database on one of several hosts, in any form that libpq reads.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tunehub::server {

// True if the URL, the environment or a service file names several hosts, and target_session_attrs
// does not choose one of them.
bool MeansAnyOfSeveral(const std::string& url);

struct OneHost {
  std::string name;  // "db1:5432"; "the local socket" if the URL names no host
  std::string url;   // the URL of the same database on this host only
};

std::string NameOf(const std::string& host, const std::string& port);

// Sets an option of the URL. The new value replaces an earlier value.
void Override(std::string& url, std::string_view name, std::string_view value);

// Returns the hosts in the order of attempts. Returns one entry if the URL has one host, or if
// libpq needs all hosts for its choice (target_session_attrs=prefer-standby).
std::vector<OneHost> HostsOf(const std::string& url);

// Returns the URL with these hosts last.
std::string WithLast(const std::string& url, const std::set<std::string>& names);

// Returns SQL for the settings of every session. They override the settings of the database, its
// role and the URL.
std::string SessionSettings();

// Returns the URL's connection as environment variables ("PGHOST" and so on) for PostgreSQL's own
// programs. (A command line would show passwords to every user of the machine.) For options that
// the URL lacks, the programs use their defaults. Errors: bad_setting.
core::Result<std::map<std::string, std::string>> ConnectionEnvironment(const std::string& url);

}  // namespace tunehub::server
