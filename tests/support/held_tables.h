// A session that locks tables and sleeps.
#pragma once

#include <future>
#include <string>

namespace tunehub::test {

class HeldTables {
 public:
  // `tables`: "a, b", of the database at `url`.
  HeldTables(const std::string& url, const std::string& tables);
  ~HeldTables() { End(); }
  HeldTables(const HeldTables&) = delete;
  HeldTables& operator=(const HeldTables&) = delete;

  // Waits for another session to wait for the tables; false: none did.
  bool Holds() const;
  void End();
  // Counts other sessions of the database by pg_stat_activity: "wait_event = 'PgSleep'".
  std::string Count(const std::string& where) const;

 private:
  const std::string url_;
  std::future<void> holder_;
};

}  // namespace tunehub::test
