#include "server/embedded/postmaster.h"

#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <thread>

namespace tunehub::embedded {
namespace {

constexpr std::chrono::milliseconds kPostmasterPoll{10};
constexpr std::chrono::milliseconds kAfterKill{2000};

}  // namespace

void Postmaster::Adopt(pid_t pid) {
  const std::lock_guard lock(mutex_);
  pid_ = pid;
}

bool Postmaster::Alive() {
  const std::lock_guard lock(mutex_);
  return AliveLocked();
}

bool Postmaster::AliveLocked() {
  if (pid_ == 0) return false;
  int status = 0;
  const pid_t gone = ::waitpid(pid_, &status, WNOHANG);
  if (gone == 0 || (gone < 0 && errno == EINTR)) return true;
  pid_ = 0;
  return false;
}

void Postmaster::Signal(int signal) {
  const std::lock_guard lock(mutex_);
  // Not reaped yet, so the number cannot belong to another process.
  if (AliveLocked()) ::kill(pid_, signal);
}

bool Postmaster::WaitGone(std::chrono::milliseconds wait) {
  const auto deadline = std::chrono::steady_clock::now() + wait;
  while (Alive()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kPostmasterPoll);
  }
  return true;
}

void Postmaster::Stop(std::chrono::milliseconds wait) {
  Signal(SIGINT);
  if (WaitGone(wait * 2 / 3)) return;
  Signal(SIGQUIT);
  if (WaitGone(wait / 3)) return;
  Signal(SIGKILL);
  WaitGone(kAfterKill);
}

}  // namespace tunehub::embedded
