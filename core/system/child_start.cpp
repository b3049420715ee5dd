#include "core/system/child_start.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/base/environment.h"
#include "core/system/fd.h"

namespace tunehub::core {
namespace {

constexpr char kKeyVariable[] = "TUNEHUB_KEY";

Error Unstartable(const ChildCommand& command, int error) {
  return {"child_unstartable",
          command.arguments.front() + ": " + std::generic_category().message(error)};
}

std::vector<std::string> EnvironmentOf(const ChildCommand& command) {
  std::vector<std::string> all;
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::string name(text.substr(0, text.find('=')));
    if (name != kKeyVariable && !command.environment.contains(name)) all.emplace_back(text);
  }
  for (const auto& [name, value] : command.environment) all.push_back(name + "=" + value);
  return all;
}

// What execve takes; it points into what it was made from.
std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Sockets of the hub and locks are not the program's. Linux before 5.11 has no such call, and
// there only what was opened with O_CLOEXEC stays here.
void KeepDescriptorsHere() {
#ifdef SYS_close_range
  constexpr unsigned kFirst = STDERR_FILENO + 1, kCloseOnExec = 1U << 2U;
  ::syscall(SYS_close_range, kFirst, ~0U, kCloseOnExec);
#endif
}

// In the child. Returns where the program cannot be executed, with the reason in errno.
void Become(const ChildCommand& command, const ChildStreams& streams, pid_t parent, char** argv,
            char** envp) {
  ::setpgid(0, 0);  // a Ctrl-C is for the parent, which ends in good order
  // An agent that is killed takes its tuner along: two on one GPU would spoil each other's times.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(streams.input, STDIN_FILENO);
  ::dup2(streams.output, STDOUT_FILENO);
  ::dup2(streams.errors, STDERR_FILENO);
  KeepDescriptorsHere();
  ::signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);  // exec would keep what is blocked here
  const bool here = command.folder.empty() || ::chdir(command.folder.c_str()) == 0;
  if (here && ::getppid() == parent) ::execvpe(argv[0], argv, envp);
}

}  // namespace

std::optional<int> WaitFor(pid_t pid) {
  int status = 0;
  pid_t got = 0;
  while ((got = ::waitpid(pid, &status, 0)) < 0 && errno == EINTR) {
  }
  return got > 0 ? std::optional(status) : std::nullopt;
}

// A pipe, closed by a successful exec, brings the reason of a failed one.
Result<pid_t> StartChild(const ChildCommand& command, const ChildStreams& streams) {
  std::array<int, 2> failure{};
  if (::pipe2(failure.data(), O_CLOEXEC) != 0) return Unstartable(command, errno);
  const Fd failed(failure[0]);
  Fd failure_end(failure[1]);
  std::vector<std::string> arguments = command.arguments, environment = EnvironmentOf(command);
  std::vector<char*> argv = Pointers(arguments), envp = Pointers(environment);
  // Nor shall a script, which runs as the same user, read the key from /proc/PID/environ.
  if (!Environment(kKeyVariable).empty()) ::prctl(PR_SET_DUMPABLE, 0);
  const pid_t parent = ::getpid(), child = ::fork();
  if (child < 0) return Unstartable(command, errno);
  if (child == 0) {
    Become(command, streams, parent, argv.data(), envp.data());
    const int reason = errno;
    (void)!::write(failure_end.get(), &reason, sizeof(reason));
    ::_exit(127);
  }
  ::setpgid(child, child);  // whichever of the two is first
  failure_end = Fd();
  int reason = 0;
  ssize_t got = 0;
  while ((got = ::read(failed.get(), &reason, sizeof(reason))) < 0 && errno == EINTR) {
  }
  if (got != sizeof(reason)) return child;
  WaitFor(child);
  return Unstartable(command, reason);
}

}  // namespace tunehub::core
