// The connection that libpq makes of a URL, for PostgreSQL's own programs: as their environment,
// since what stands on a command line can be read by everybody on the machine.
#pragma once

#include <map>
#include <string>

#include "core/base/result.h"

namespace tunehub::store {

// "PGHOST" and so on; what the URL does not say is as the programs find it. Error bad_setting.
core::Result<std::map<std::string, std::string>> ConnectionEnvironment(const std::string& url);

}  // namespace tunehub::store
