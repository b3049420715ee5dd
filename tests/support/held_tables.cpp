#include "tests/support/held_tables.h"

#include <gtest/gtest.h>

#include "tests/support/comes.h"
#include "tests/support/sql.h"

namespace tunehub::test {

HeldTables::HeldTables(const std::string& url, const std::string& tables) : url_(url) {
  holder_ = std::async(std::launch::async, [url, tables] {
    EXPECT_ANY_THROW(Execute(
        url, "BEGIN; LOCK TABLE " + tables + " IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(120)"));
  });
  EXPECT_TRUE(Comes([&] { return Count("wait_event = 'PgSleep'") == "1"; }));
}

bool HeldTables::Holds() const {
  return Comes([&] { return Count("wait_event_type = 'Lock'") == "1"; });
}

void HeldTables::End() {
  if (!holder_.valid()) return;
  Execute(url_,
          "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
          "WHERE wait_event = 'PgSleep' AND datname = current_database()");
  holder_.get();
}

std::string HeldTables::Count(const std::string& where) const {
  return QueryText(url_,
                   "SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
                   "AND datname = current_database() AND " +
                       where);
}

}  // namespace tunehub::test
