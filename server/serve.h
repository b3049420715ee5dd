#pragma once

#include "server/settings.h"

namespace tunehub::server {

// Runs the server until SIGTERM or SIGINT. The exit status: 0 after a signal, 1 where it cannot
// start. From the main thread.
int Serve(const Settings& settings);

}  // namespace tunehub::server
