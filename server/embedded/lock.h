// The two locks of a data folder.
//   DIR/server.lock  held by the server alone: a second server gets an error.
//   DIR/pg.lock      held by the server and, by inheritance, by every process of its PostgreSQL:
//                    once it is free, no process of a killed predecessor lives.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"

namespace tunehub::embedded {

// The lines of postmaster.pid: pid, data folder, start time, port, socket folder, address, shared
// memory, status.
struct Pidfile {
  pid_t pid = 0;
  bool ready = false;  // PostgreSQL accepts connections; pg_ctl reads the same line
};

std::optional<Pidfile> ReadPidfile(const std::filesystem::path& pg_dir);

// Returns the PostgreSQL processes whose current folder is this cluster, without zombies. Does not
// use the pid file, because its number may now belong to another process.
std::vector<pid_t> ProcessesOf(const std::filesystem::path& pg_dir);

// Locks DIR/server.lock. Waits for a server that has announced its stop, so that a restart
// succeeds. Errors: data_dir_unusable; data_dir_busy, with the other server's pid.
core::Result<core::Fd> TakeServerLock(const std::filesystem::path& data_dir);

// Announces that the lock will soon be free.
void AnnounceStop(const core::Fd& server_lock);

// True if a server holds DIR/server.lock now.
bool ServerLockHeld(const std::filesystem::path& data_dir);

// Locks DIR/pg.lock, after the last process of an earlier PostgreSQL has ended. Stops a PostgreSQL
// that does not end: first by a fast shutdown. After half of `wait` (after two seconds if only
// backends are left), requests an immediate shutdown. After success, no process of the cluster
// lives. Errors: data_dir_unusable; data_dir_busy, with the processes that still live.
core::Result<core::Fd> TakePostgresLock(const std::filesystem::path& data_dir,
                                        std::chrono::seconds wait);

}  // namespace tunehub::embedded
