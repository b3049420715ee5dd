// Gives up root's rights in a server that root started. So an attacker who takes over the server
// does not own the host.
#pragma once

#include "core/base/result.h"
#include "server/embedded/db_user.h"
#include "server/settings.h"

namespace tunehub::server {

// Does nothing without root. Otherwise this process runs permanently as the first of these users
// that exists:
// 1. the setting `user`
// 2. the owner of the data folder's PostgreSQL
// 3. the owner of the data folder
// 4. `postgres` of PostgreSQL's package
//
// The process keeps only one right of root: to listen below port 1024, and only if the settings
// need it. Call this function before any thread starts, since Linux changes the user of only one
// thread. Errors: bad_setting, unknown_user, no_user, data_dir_unusable, cannot_leave_root,
// configs_unreachable.
core::Status LeaveRoot(const Settings& settings);

// Returns the user as whom this process would run a server. Errors: unknown_user, no_user.
core::Result<embedded::DatabaseUser> ServerUser(const Settings& settings);

}  // namespace tunehub::server
