// postmaster.pid, and which PostgreSQL processes live on a cluster.
// The file: pid, data folder, start time, port, socket folder, address, shared memory, status.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <vector>

namespace tunehub::embedded {

struct Pidfile {
  pid_t pid = 0;
  bool ready = false;  // accepts connections; pg_ctl reads the same line
};

std::optional<Pidfile> ReadPidfile(const std::filesystem::path& pg_dir);

// PostgreSQL processes that work in this cluster, by their current folder. It needs no trust in the
// pid file, whose number may belong to somebody else by now; a zombie is not among them.
std::vector<pid_t> ProcessesOf(const std::filesystem::path& pg_dir);

}  // namespace tunehub::embedded
