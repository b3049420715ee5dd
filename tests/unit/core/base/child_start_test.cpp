#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "core/base/file.h"
#include "core/base/process.h"

namespace tunehub::core {
namespace {

std::string OutputOf(const std::string& script) {
  std::string output;
  const auto ended = RunChild(
      {{"/bin/bash", "-c", script}, {}, {}, {}}, {},
      [&](std::string_view line) { output += std::string(line) + "\n"; }, [] { return false; });
  EXPECT_TRUE(ended.ok() && ended->succeeded());
  return output;
}

TEST(ChildStart, a_program_gets_neither_the_key_nor_a_descriptor_nor_a_look_into_this_process) {
  ::setenv("TUNEHUB_KEY", "thub_0123456789", 1);
  // Opens without O_CLOEXEC, as Asio opens sockets.
  const Fd open(::open("/dev/null", O_RDONLY)), other(::open("/dev/null", O_RDONLY));
  EXPECT_THAT(OutputOf("env; tr '\\0' '\\n' </proc/self/environ"),
              testing::Not(testing::HasSubstr("thub_")));
  EXPECT_EQ(OutputOf("for fd in 3 4 5 6 7 8 9 " + std::to_string(open.get()) + " " +
                     std::to_string(other.get()) +
                     "; do [[ -e /proc/$$/fd/$fd ]] && readlink /proc/$$/fd/$fd; done; true"),
            "");
  EXPECT_EQ(::prctl(PR_GET_DUMPABLE), 0);  // only root reads /proc/PID/environ and mem
  ::prctl(PR_SET_DUMPABLE, 1);
  ::unsetenv("TUNEHUB_KEY");
}

TEST(ChildStart, a_program_has_no_signal_blocked) {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  const std::string blocked = OutputOf("grep SigBlk: /proc/self/status");
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(blocked, "SigBlk:\t0000000000000000\n");
}

// Runs in a separate process: sends a signal to itself, waits until it is noticed, sends a second
// signal.
void BeStoppedTwice(SecondSignal second) {
  const auto stopped = CatchStopSignals(second);
  if (stopped()) ::_exit(1);
  ::kill(::getpid(), SIGINT);
  while (!stopped()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ::kill(::getpid(), SIGTERM);
  while (second == SecondSignal::kEndsProcess) ::pause();
  ::_exit(0);
}

TEST(StopSignals, the_first_is_an_answer_and_a_second_ends_the_process_unless_it_is_ignored) {
  EXPECT_EXIT(BeStoppedTwice(SecondSignal::kEndsProcess), testing::KilledBySignal(SIGTERM), "");
  EXPECT_EXIT(BeStoppedTwice(SecondSignal::kIgnored), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tunehub::core
