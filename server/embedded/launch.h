// Starts PostgreSQL's programs as children that cannot outlive the server unnoticed.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "core/base/result.h"
#include "server/embedded/db_user.h"

namespace tunehub::embedded {

struct Launch {
  std::vector<std::string> argv;  // argv[0] is an absolute path
  const DatabaseUser& user;
  int lock_fd;       // DIR/pg.lock: inherited, so that it stays locked while any of them lives
  int log_fd;        // stdout and stderr
  int death_signal;  // what the kernel sends it when the thread that called Start() is gone
  std::string input = {};  // its stdin; short enough for a pipe
};

// Errors: postgres_failed (the fork; an exec that fails is exit status 127 and a line in the log).
core::Result<pid_t> Start(const Launch& launch);

// Starts it and waits for its end. Errors: postgres_failed, also for a status other than 0.
core::Status RunToEnd(const Launch& launch);

}  // namespace tunehub::embedded
