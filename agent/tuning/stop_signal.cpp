#include "agent/tuning/stop_signal.h"

#include <csignal>

namespace tunehub::agent::tuning {
namespace {

volatile std::sig_atomic_t stop_requested = 0;

extern "C" void NoteStop(int) {
  stop_requested = 1;
}

}  // namespace

void CatchStopSignals() {
  struct sigaction action {};
  action.sa_handler = NoteStop;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGTERM, &action, nullptr);
  ::sigaction(SIGINT, &action, nullptr);
}

bool StopRequested() {
  return stop_requested != 0;
}

}  // namespace tunehub::agent::tuning
