// A server that root starts gives up root's rights, so that an attacker who takes over the server
// does not own the host.
#pragma once

#include "core/base/result.h"
#include "server/embedded/db_user.h"
#include "server/settings.h"

namespace tunehub::server {

// Makes this process run for good as one user: the setting `user`, else the owner of the data
// folder's PostgreSQL, else the owner of the folder, else `postgres` of PostgreSQL's package. Of
// root's rights it keeps only the one to listen below port 1024, and only if the settings need it.
// Without root it changes nothing. Call it before any thread starts, since Linux changes the user
// of one thread. Errors: bad_setting, unknown_user, no_user, data_dir_unusable, cannot_leave_root,
// configs_unreachable.
core::Status LeaveRoot(const Settings& settings);

// The user of a server that this process would start. Errors: unknown_user, no_user.
core::Result<embedded::DatabaseUser> ServerUser(const Settings& settings);

}  // namespace tunehub::server
