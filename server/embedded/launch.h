// Starts PostgreSQL's programs as child processes. A later server notices if they outlive this
// server.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "server/embedded/db_user.h"

namespace tunehub::embedded {

// The PostgreSQL that runs a cluster. An existing cluster needs the major version that made it.
struct Binaries {
  int version = 0;  // major
  std::filesystem::path initdb;
  std::filesystem::path postgres;
};

// `root` contains one folder for each major version, as on Debian: ROOT/15/bin/postgres. If
// `pg_dir` contains no cluster, returns the newest version. Errors: postgres_missing,
// postgres_version.
core::Result<Binaries> FindBinaries(const std::filesystem::path& root,
                                    const std::filesystem::path& pg_dir);

struct Launch {
  std::vector<std::string> argv;  // argv[0] is an absolute path
  const DatabaseUser& user;
  int lock_fd;             // DIR/pg.lock: inherited, so that it stays locked while any child lives
  int log_fd;              // stdout and stderr
  int death_signal;        // the kernel sends it when the thread that called Start() ends
  std::string input = {};  // its stdin; short enough for a pipe
};

// Errors: postgres_failed if the fork fails. If exec fails, the child logs a line and exits with
// status 127.
core::Result<pid_t> Start(const Launch& launch);

// Starts the program and waits for its end. Errors: postgres_failed, also for a status other than
// 0.
core::Status RunToEnd(const Launch& launch);

}  // namespace tunehub::embedded
