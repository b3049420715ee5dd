// A server that root starts goes on as somebody else: who takes it over has not got the machine.
#pragma once

#include "core/base/result.h"
#include "server/embedded/db_user.h"
#include "server/settings.h"

namespace tunehub::server {

// Whom it becomes, for good: the setting `user`; else whose the data folder's PostgreSQL is, else
// the folder; else `postgres`, whom PostgreSQL's package brings. It keeps nothing of root but the
// right to listen on a port below 1024 where it is to. A server that root has not started stays who
// it is. Before any thread, since Linux changes the user of one thread. Errors: bad_setting,
// unknown_user, no_user, data_dir_unusable, cannot_leave_root, configs_unreachable.
core::Status LeaveRoot(const Settings& settings);

// Whom a server with these settings would run as, started by this process. Errors: unknown_user,
// no_user.
core::Result<embedded::DatabaseUser> ServerUser(const Settings& settings);

}  // namespace tunehub::server
