#include "server/stopping.h"

#include <fcntl.h>
#include <unistd.h>

#include <string_view>
#include <thread>

#include "core/base/exit_codes.h"
#include "core/base/file.h"
#include "server/log/log.h"
#include "server/log/stderr_sink.h"

namespace tunehub::server {
namespace {

bool HasTerminal() {
  return core::Fd(::open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)).ok();
}

// Under nohup a process ignores SIGHUP.
bool IsIgnored(int signal) {
  struct sigaction action {};
  ::sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

constexpr std::chrono::milliseconds kBetweenCancels{100};
constexpr int kStoppedLate = kFailed;
// Does not use the log, because a thread that hangs may own the log's lock.
constexpr std::string_view kLate =
    "this server did not stop in time, because something hangs; it ends now";

}  // namespace

Signals::Signals() : of_a_terminal_(HasTerminal() && !IsIgnored(SIGHUP)) {
  sigemptyset(&set_);
  for (const int it : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set_, it);
  pthread_sigmask(SIG_BLOCK, &set_, nullptr);
}

Told Signals::Wait(std::chrono::milliseconds pause) const {
  const timespec whole{pause.count() / 1000, pause.count() % 1000 * 1'000'000};
  const int signal = sigtimedwait(&set_, nullptr, &whole);
  if (signal <= 0) return Told::kNothing;
  if (signal != SIGHUP) return Told::kStop;
  return of_a_terminal_ && !HasTerminal() ? Told::kStop : Told::kReload;
}

void EndWithin(std::chrono::milliseconds limit) {
  std::thread([limit, line = log::LineOf(spdlog::level::err, kLate)] {
    std::this_thread::sleep_for(limit);
    if (log::TakesLine(0)) {
      [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
    }
    ::_exit(kStoppedLate);
  }).detach();
}

void EndStatements(ConnectionPool& pool, core::WokenThread& thread) {
  thread.Start([&] {
    do {
      pool.Abandon();
    } while (thread.Pause(kBetweenCancels));
  });
}

}  // namespace tunehub::server
