// A server that root starts gives up root's rights. An attacker who takes over the server then does
// not own the host.
#pragma once

#include "core/base/result.h"
#include "server/embedded/db_user.h"
#include "server/settings.h"

namespace tunehub::server {

// Without root it changes nothing. Otherwise it makes this process run permanently as one user: the
// first of these that exists:
// 1. the setting `user`
// 2. the owner of the data folder's PostgreSQL
// 3. the owner of the data folder
// 4. `postgres` of PostgreSQL's package
//
// Of root's rights it keeps only the right to listen below port 1024, and only if the settings need
// it. Call it before any thread starts, since Linux changes the user of only one thread. Errors:
// bad_setting, unknown_user, no_user, data_dir_unusable, cannot_leave_root, configs_unreachable.
core::Status LeaveRoot(const Settings& settings);

// The user as whom this process would start a server. Errors: unknown_user, no_user.
core::Result<embedded::DatabaseUser> ServerUser(const Settings& settings);

}  // namespace tunehub::server
