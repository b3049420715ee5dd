#include "server/stopping.h"

#include <unistd.h>

#include <string_view>

#include "server/log/log.h"
#include "server/log/stderr_sink.h"

namespace tunehub::server {
namespace {

constexpr std::chrono::milliseconds kBetweenCancels{100};
constexpr int kStoppedLate = 1;
// Not by the log, whose lock a hanging thread may hold.
constexpr std::string_view kLate = "something hangs, and the time to stop is over: this ends now";

}  // namespace

void EndWithin(std::chrono::milliseconds limit) {
  std::thread([limit, line = log::LineOf(spdlog::level::err, kLate)] {
    std::this_thread::sleep_for(limit);
    if (log::TakesLine(0)) {
      [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
    }
    ::_exit(kStoppedLate);
  }).detach();
}

StatementsEnd::~StatementsEnd() {
  over_ = true;
  if (thread_.joinable()) thread_.join();
}

void StatementsEnd::Begin() {
  if (thread_.joinable()) return;
  thread_ = std::thread([this] {
    while (!over_) {
      store_.Abandon();
      std::this_thread::sleep_for(kBetweenCancels);
    }
  });
}

}  // namespace tunehub::server
