// The two locks of a data folder.
//   DIR/server.lock  held by the server alone: a second server is refused at once.
//   DIR/pg.lock      held by the server and, by inheritance, by every process of its PostgreSQL:
//                    once it is free, nothing of a killed predecessor lives.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"

namespace tunehub::embedded {

// postmaster.pid, and which PostgreSQL processes live on a cluster.
// The file: pid, data folder, start time, port, socket folder, address, shared memory, status.
struct Pidfile {
  pid_t pid = 0;
  bool ready = false;  // accepts connections; pg_ctl reads the same line
};

std::optional<Pidfile> ReadPidfile(const std::filesystem::path& pg_dir);

// PostgreSQL processes that work in this cluster, by their current folder. It needs no trust in the
// pid file, whose number may belong to somebody else by now; a zombie is not among them.
std::vector<pid_t> ProcessesOf(const std::filesystem::path& pg_dir);

// One whose holder has said that it stops is waited for: a restart need not. Errors:
// data_dir_unusable, data_dir_busy (names the pid of the server that has it).
core::Result<core::Fd> TakeServerLock(const std::filesystem::path& data_dir);

// The holder's word that the lock will be free soon.
void AnnounceStop(const core::Fd& server_lock);

// Whether a server holds DIR/server.lock now.
bool ServerLockHeld(const std::filesystem::path& data_dir);

// Waits for the last process of a predecessor, and stops a PostgreSQL that would stay: the fast way
// first, the immediate one after half of `wait` (two seconds where only backends are left). On
// return no process lives in the cluster. Errors: data_dir_unusable, data_dir_busy (names what
// still lives).
core::Result<core::Fd> TakePostgresLock(const std::filesystem::path& data_dir,
                                        std::chrono::seconds wait);

}  // namespace tunehub::embedded
