// A session that locks tables and then sleeps.
#pragma once

#include <future>
#include <string>

namespace tunehub::test {

class HeldTables {
 public:
  // `tables`: "a, b", tables of the database at `url`.
  HeldTables(const std::string& url, const std::string& tables);
  ~HeldTables() { End(); }
  HeldTables(const HeldTables&) = delete;
  HeldTables& operator=(const HeldTables&) = delete;

  // Waits until another session waits for these tables; false if none does in time.
  bool Holds() const;
  void End();
  // The number of other sessions in pg_stat_activity for which `where` is true: "wait_event =
  // 'PgSleep'".
  std::string Count(const std::string& where) const;

 private:
  const std::string url_;
  std::future<void> holder_;
};

}  // namespace tunehub::test
