#include "core/system/stop_signals.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>

namespace tunehub::core {

std::function<bool()> CatchStopSignals(SecondSignal second) {
  sigset_t stops;
  ::sigemptyset(&stops);
  for (const int it : {SIGTERM, SIGINT}) {
    ::signal(it, SIG_DFL);  // a shell ignores SIGINT for what it runs in the background
    ::sigaddset(&stops, it);
  }
  ::pthread_sigmask(SIG_BLOCK, &stops, nullptr);
  auto stopped = std::make_shared<std::atomic<bool>>(false);
  std::thread([stops, stopped, second] {
    int signal = 0;
    ::sigwait(&stops, &signal);
    *stopped = true;
    if (second == SecondSignal::kEndsProcess) ::pthread_sigmask(SIG_UNBLOCK, &stops, nullptr);
    for (;;) ::pause();
  }).detach();
  return [stopped] { return stopped->load(); };
}

}  // namespace tunehub::core
