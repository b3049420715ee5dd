#include "core/system/stop_signals.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

namespace tunehub::core {
namespace {

// In a process of its own: a signal, the answer, a second signal.
void BeStoppedTwice(SecondSignal second) {
  const auto stopped = CatchStopSignals(second);
  if (stopped()) ::_exit(1);
  ::kill(::getpid(), SIGINT);
  while (!stopped()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ::kill(::getpid(), SIGTERM);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  ::_exit(0);
}

TEST(StopSignals, the_first_is_an_answer_and_a_second_ends_the_process_unless_it_is_ignored) {
  EXPECT_EXIT(BeStoppedTwice(SecondSignal::kEndsProcess), testing::KilledBySignal(SIGTERM), "");
  EXPECT_EXIT(BeStoppedTwice(SecondSignal::kIgnored), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tunehub::core
