#pragma once

#include "server/settings.h"

namespace tunehub::server {

// Runs the server until SIGTERM or SIGINT. The exit status: 0 after a signal, 1 where it cannot
// start. `migrate`: schema, families and targets of any database are brought up to date first, as
// the command of that name does. From the main thread.
int Serve(const Settings& settings, bool migrate);

}  // namespace tunehub::server
