#include "server/queue/lease_keeper.h"

#include <spdlog/spdlog.h>

#include <chrono>

#include "server/db/retention.h"

namespace tunehub::server {
namespace {

constexpr std::chrono::seconds kDeleteEvery{60};

}  // namespace

void LeaseKeeper::Keep() {
  auto delete_at = std::chrono::steady_clock::now();
  bool could = true;
  do {
    const auto now = std::chrono::steady_clock::now();
    const bool due = now >= delete_at;
    const bool can = Sweep(due);
    if (due && can && !more_) delete_at = now + kDeleteEvery;
    if (can != could && !can)
      spdlog::warn("the server cannot reach the database; until then no lease expires");
    could = can;
  } while (thread_.Pause(leases_.times().look()));
}

bool LeaseKeeper::Sweep(bool delete_old) {
  try {
    const std::size_t renewed = leases_.WatchLeases();
    if (renewed > 0)
      spdlog::info("{} leases get their full length again, because agents could not renew them",
                   renewed);
    const std::size_t expired = leases_.Expire();
    if (expired > 0) spdlog::info("{} leases have expired", expired);
    if (delete_old) more_ = DeleteOld(pool_, retention_days_);
    return true;
  } catch (const std::exception& error) {
    spdlog::debug("cannot expire leases: {}", error.what());
    return false;
  }
}

}  // namespace tunehub::server
