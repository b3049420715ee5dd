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

  // Waits until another session waits for the tables; false if none does.
  bool Holds() const;
  void End();
  // The number of other sessions with `where` in pg_stat_activity: "wait_event = 'PgSleep'".
  std::string Count(const std::string& where) const;

 private:
  const std::string url_;
  std::future<void> holder_;
};

}  // namespace tunehub::test
