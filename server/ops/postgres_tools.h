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

// Those of the server's own version, else of the next newer one: an older pg_dump refuses, and what
// a newer one writes an older server may not read. Error postgres_missing.
core::Result<PostgresTools> FindTools(int major);

// What stands for a database in a program's environment; see ConnectionEnvironment.
using Environment = std::map<std::string, std::string>;

// Runs one to its end. `code`: of the error, whose detail has its last lines.
core::Status RunTool(const std::vector<std::string>& arguments, const Environment& environment,
                     const std::string& code);

// What a program is fed with: `before`, the output of another one, and `after`, but that only where
// the other one has ended well.
struct Feed {
  std::string before;
  std::vector<std::string> from;
  std::string after;
};

// Runs `into` and feeds it. The texts are short enough for a pipe.
core::Status RunFed(const std::vector<std::string>& into, const Feed& feed,
                    const Environment& environment, const std::string& code);

}  // namespace tunehub::server
