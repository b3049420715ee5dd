#include "server/service/queue/queue_keeper.h"

#include <spdlog/spdlog.h>

#include <chrono>

namespace tunehub::service {
namespace {

using namespace std::chrono_literals;

constexpr auto kDeleteEvery = 60s;

}  // namespace

void QueueKeeper::Start() {
  thread_.Start([this] { Keep(); });
}

void QueueKeeper::Keep() {
  auto delete_at = std::chrono::steady_clock::now();
  bool could = true;
  do {
    const auto now = std::chrono::steady_clock::now();
    const bool due = now >= delete_at;
    const bool can = Sweep(due);
    if (due && can) delete_at = now + kDeleteEvery;
    if (can != could && !can) spdlog::warn("the queue is not swept: the database is gone");
    could = can;
  } while (thread_.Pause(store_.queue().times().look()));
}

bool QueueKeeper::Sweep(bool delete_old) {
  try {
    const std::size_t renewed = store_.queue().WatchLeases();
    if (renewed > 0)
      spdlog::info("{} leases begin anew: nobody could renew them for a while", renewed);
    const std::size_t expired = store_.queue().Expire();
    if (expired > 0) spdlog::info("{} leases have expired", expired);
    if (delete_old) store_.queue().DeleteOld();
    return true;
  } catch (const std::exception& error) {
    spdlog::debug("sweep of the queue: {}", error.what());
    return false;
  }
}

}  // namespace tunehub::service
