// A database at one of several hosts, in any of the ways that libpq is told of them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tunehub::server {

// Whether the URL, the environment or a service file names several hosts, and none of them says
// what is expected of the one to be taken.
bool MeansAnyOfSeveral(const std::string& url);

struct OneHost {
  std::string name;  // "db1:5432"; "the local socket" where none is named
  std::string url;   // the same database, at this host alone
};

std::string NameOf(const std::string& host, const std::string& port);

// Sets an option of the URL, also one that it sets already.
void Override(std::string& url, std::string_view name, std::string_view value);

// In the order in which they are to be tried; one where there is one, or where which of them is
// wanted follows from all (target_session_attrs=prefer-standby).
std::vector<OneHost> HostsOf(const std::string& url);

// The URL, where hosts of these names are tried behind all others.
std::string WithLast(const std::string& url, const std::set<std::string>& names);

// What the store sets on each session, whatever the database, its role or the URL say.

// The statements, in one text.
std::string SessionSettings();

// The connection that libpq makes of a URL, for PostgreSQL's own programs: as their environment,
// since what stands on a command line can be read by everybody on the machine.

// "PGHOST" and so on; what the URL does not say is as the programs find it. Error bad_setting.
core::Result<std::map<std::string, std::string>> ConnectionEnvironment(const std::string& url);

}  // namespace tunehub::server
