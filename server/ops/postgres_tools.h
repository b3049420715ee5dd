// Runs PostgreSQL's own programs for dumps and restores.
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

// Returns the programs of the server's PostgreSQL version, or else of the next newer version. (An
// older pg_dump refuses to run. An older server may be unable to read the output of a newer
// pg_dump.) Errors: postgres_missing.
core::Result<PostgresTools> FindTools(int major);

// A database in a program's environment; see ConnectionEnvironment.
using Environment = std::map<std::string, std::string>;

// Runs a program to its end. `code`: the error's code; its detail contains the program's last
// lines.
core::Status RunTool(const std::vector<std::string>& arguments, const Environment& environment,
                     const std::string& code);

// A program's input: first `before`, then the output of another program. Then `after`, if the other
// program succeeded.
struct Feed {
  std::string before;
  std::vector<std::string> from;
  std::string after;
};

// Runs `into` with that input. The texts must be short enough for a pipe's buffer.
core::Status RunFed(const std::vector<std::string>& into, const Feed& feed,
                    const Environment& environment, const std::string& code);

}  // namespace tunehub::server
