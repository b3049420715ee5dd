// A real PgBouncer in front of a PostgreSQL's socket.
#pragma once

#include <memory>
#include <string>

#include "tests/support/program.h"
#include "tests/support/temp_dir.h"

namespace tunehub::test {

class PgBouncer {
 public:
  // `database`: a connection string "host=FOLDER port=... user=... dbname=..." of a cluster whose
  // socket trusts its owner. `pool_mode`: session, transaction or statement. `more`: additional
  // lines of PgBouncer's settings. Returns once PgBouncer answers. Throws, with its log, if it ends
  // earlier.
  PgBouncer(const std::string& database, const std::string& pool_mode,
            const std::string& more = "");

  // Connects to the same database through PgBouncer.
  const std::string& connection_string() const { return connection_string_; }

 private:
  TempDir dir_;
  std::string connection_string_;
  std::unique_ptr<Program> program_;
};

}  // namespace tunehub::test
