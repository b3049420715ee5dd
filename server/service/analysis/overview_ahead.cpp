#include "server/service/analysis/overview_ahead.h"

#include <spdlog/spdlog.h>

namespace tunehub::service {
namespace {

constexpr std::int64_t kUsualTp = 8;       // GPUs of one node: what the page asks for at first
constexpr std::chrono::seconds kPause{2};  // agents that push all the time make it no oftener

}  // namespace

void OverviewAhead::Start() {
  thread_ = std::thread([this] { Run(); });
}

void OverviewAhead::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void OverviewAhead::Wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  wake_.notify_all();
}

void OverviewAhead::Run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    wake_.wait(lock, [this] { return stopping_ || woken_; });
    if (stopping_) return;
    woken_ = false;
    lock.unlock();
    try {
      overview_.Get(kUsualTp);
    } catch (const std::exception& error) {
      spdlog::debug("the overview is not made ahead: {}", error.what());
    }
    lock.lock();
    wake_.wait_for(lock, kPause, [this] { return stopping_; });
  }
}

}  // namespace tunehub::service
