// PostgreSQL's own programs that dump and restore.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace tunehub::server {

struct PostgresTools {
  std::filesystem::path dump, restore, psql;
};

// The programs of the server's PostgreSQL version, else of the next newer one. An older pg_dump
// refuses, and an older server may not read a newer pg_dump's output. Error postgres_missing.
core::Result<PostgresTools> FindTools(int major);

// A database in a program's environment; see ConnectionEnvironment.
using Environment = std::map<std::string, std::string>;

// Runs a program to its end. `code`: the error's code; its detail contains the program's last
// lines.
core::Status RunTool(const std::vector<std::string>& arguments, const Environment& environment,
                     const std::string& code);

// A program's input: `before`, then the output of another program, then `after` if that program
// succeeded.
struct Feed {
  std::string before;
  std::vector<std::string> from;
  std::string after;
};

// Runs `into` with that input. The texts must be short enough for a pipe's buffer.
core::Status RunFed(const std::vector<std::string>& into, const Feed& feed,
                    const Environment& environment, const std::string& code);

}  // namespace tunehub::server
