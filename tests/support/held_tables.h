// A session that has locked tables and does nothing.
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

  // Whether somebody waits for the tables, as he will in a moment.
  bool Holds() const;
  void End();
  // How many other sessions of the database are so: "wait_event = 'PgSleep'".
  std::string Count(const std::string& where) const;

 private:
  const std::string url_;
  std::future<void> holder_;
};

}  // namespace tunehub::test
