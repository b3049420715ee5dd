#include "tests/db/together.h"

#include <chrono>
#include <pqxx/pqxx>
#include <string>
#include <thread>

#include "tests/support/comes.h"

namespace tunehub {
namespace {

// Shorter than the database's lock timeout.
constexpr std::chrono::seconds kSoon(15);

// Holds the locks of all families, as another server's import would.
class Held {
 public:
  explicit Held(const std::string& url) : connection_(url), work_(connection_) {
    work_.exec("SELECT pg_advisory_xact_lock(7411, id) FROM family");
  }
  // True if a batch waits for one of these locks.
  bool IsWanted() {
    return !work_
                .exec(
                    "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
                    " AND database = (SELECT oid FROM pg_database"
                    " WHERE datname = current_database())")
                .empty();
  }
  void Release() { work_.commit(); }

 private:
  pqxx::connection connection_;
  pqxx::work work_;
};

}  // namespace

std::vector<std::int64_t> RunsTogether(test::Registry& registry) {
  std::vector<std::int64_t> runs;
  for (int i = 0; i < kTogether; ++i)
    runs.push_back(registry.NewRun("2026-01-01T00:00:00Z", {}, 0.1 + 0.01 * i));
  return runs;
}

void SendTogether(test::Registry& registry, const std::function<void(int)>& send) {
  Held held(registry.url);
  std::vector<std::thread> threads;
  threads.emplace_back(send, 0);
  EXPECT_TRUE(test::Comes([&] { return held.IsWanted(); }, kSoon)) << "no batch waits for the lock";
  for (int i = 1; i < kTogether; ++i) threads.emplace_back(send, i);
  const auto behind = static_cast<std::size_t>(kTogether - 1);
  EXPECT_TRUE(test::Comes([&] { return registry.ingest.groups.waiting() == behind; }, kSoon));
  held.Release();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace tunehub
