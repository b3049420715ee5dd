#include "server/signals.h"

#include <fcntl.h>

#include "core/system/fd.h"

namespace tunehub::server {
namespace {

bool HasTerminal() {
  return core::Fd(::open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)).ok();
}

// As nohup leaves it.
bool IsIgnored(int signal) {
  struct sigaction action {};
  ::sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

}  // namespace

Signals::Signals() : of_a_terminal_(HasTerminal() && !IsIgnored(SIGHUP)) {
  sigemptyset(&set_);
  for (const int it : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set_, it);
  pthread_sigmask(SIG_BLOCK, &set_, nullptr);
}

Told Signals::Wait(const timespec& pause) const {
  const int signal = sigtimedwait(&set_, nullptr, &pause);
  if (signal <= 0) return Told::kNothing;
  if (signal != SIGHUP) return Told::kStop;
  return of_a_terminal_ && !HasTerminal() ? Told::kStop : Told::kReload;
}

}  // namespace tunehub::server
