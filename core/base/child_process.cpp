#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <thread>

#include "core/base/file.h"
#include "core/base/process.h"

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

// Returns the array for execve. Its pointers point into `texts`.
std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// The child must not inherit this process's sockets and locks. On Linux before 5.11, which lacks
// close_range, O_CLOEXEC alone keeps descriptors from the child.
void KeepDescriptorsHere() {
#ifdef SYS_close_range
  constexpr unsigned kFirst = STDERR_FILENO + 1, kCloseOnExec = 1U << 2U;
  ::syscall(SYS_close_range, kFirst, ~0U, kCloseOnExec);
#endif
}

// Runs in the child. If the program cannot be executed, returns with the reason in errno.
void Become(const ChildCommand& command, const ChildStreams& streams, pid_t parent, char** argv,
            char** envp) {
  ::setpgid(0, 0);  // Ctrl-C then reaches only the parent, which shuts down in order
  // If the agent is killed, its tuner must die, too. Two tuners on one GPU would distort each
  // other's times.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(streams.input, STDIN_FILENO);
  ::dup2(streams.output, STDOUT_FILENO);
  ::dup2(streams.errors, STDERR_FILENO);
  KeepDescriptorsHere();
  ::signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);  // exec keeps the mask of blocked signals
  const bool here = command.folder.empty() || ::chdir(command.folder.c_str()) == 0;
  if (here && ::getppid() == parent) ::execvpe(argv[0], argv, envp);
}

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kLook{100};  // the longest delay until the loop notices a stop or a limit
// When the program has ended, its remaining child processes get this time for their output. Then
// they are killed.
constexpr milliseconds kLastOutput{200};
constexpr std::size_t kReadBytes = 65'536;

class Child {
 public:
  Child(const ChildCommand& command, const ChildLimits& limits,
        const std::function<void(std::string_view)>& line, const std::function<bool()>& stop)
      : command_(command), limits_(limits), line_(line), stop_(stop) {}

  Result<ChildEnd> Run();

 private:
  Status OpenLog();
  Status Start();
  Status Watch();
  // Returns true while more output may come.
  Result<bool> ReadSome(milliseconds limit);
  Status Take(std::string_view bytes);
  void EndLine();
  bool HasEnded() const;
  void Reap();
  std::optional<ChildEnd::Why> Overdue() const;
  void End(ChildEnd::Why why);

  const ChildCommand& command_;
  const ChildLimits& limits_;
  const std::function<void(std::string_view)>& line_;
  const std::function<bool()>& stop_;
  Fd log_, output_;
  pid_t pid_ = -1;
  ChildEnd end_;
  std::string unfinished_;
  Clock::time_point began_ = Clock::now(), heard_ = Clock::now();
  std::optional<Clock::time_point> kill_at_;  // set when SIGTERM is sent
};

Status Child::OpenLog() {
  if (command_.log.empty()) return Ok();
  log_ = Fd(::open(command_.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (log_.ok()) return Ok();
  return Unwritable(command_.log, errno);
}

// The child reads /dev/null and writes both streams into one pipe.
Status Child::Start() {
  std::array<int, 2> output{};
  const Fd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!nothing.ok() || ::pipe2(output.data(), O_CLOEXEC) != 0) return Unstartable(command_, errno);
  output_ = Fd(output[0]);
  const Fd output_end(output[1]);
  const auto started = StartChild(command_, {nothing.get(), output_end.get(), output_end.get()});
  if (!started.ok()) return started.error();
  pid_ = *started;
  return Ok();
}

void Child::EndLine() {
  if (!unfinished_.empty()) line_(unfinished_);
  unfinished_.clear();
}

Status Child::Take(std::string_view bytes) {
  heard_ = Clock::now();
  if (log_.ok()) {
    if (Status logged = WriteAll(log_.get(), bytes, command_.log); !logged.ok()) return logged;
  }
  for (;;) {
    const std::size_t end = bytes.find_first_of("\r\n");
    const std::size_t room = kMaxLineBytes - std::min(kMaxLineBytes, unfinished_.size());
    unfinished_.append(bytes.substr(0, end).substr(0, room));
    if (end == std::string_view::npos) return Ok();
    EndLine();
    bytes.remove_prefix(end + 1);
  }
}

Result<bool> Child::ReadSome(milliseconds limit) {
  pollfd waiting{output_.get(), POLLIN, 0};
  const int ready = ::poll(&waiting, 1, static_cast<int>(limit.count()));
  if (ready <= 0) return ready == 0 || errno == EINTR;
  std::array<char, kReadBytes> bytes{};
  const ssize_t got = ::read(output_.get(), bytes.data(), bytes.size());
  if (got < 0) return errno == EINTR;
  if (got == 0) return false;
  if (const Status taken = Take({bytes.data(), static_cast<std::size_t>(got)}); !taken.ok()) {
    return taken.error();
  }
  return true;
}

// Does not reap the child, because the system would then reuse its pid and its group's id.
bool Child::HasEnded() const {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid_;
}

void Child::Reap() {
  const auto status = WaitFor(pid_);
  if (status && WIFEXITED(*status)) end_.code = WEXITSTATUS(*status);
  if (status && WIFSIGNALED(*status)) end_.signal = WTERMSIG(*status);
}

std::optional<ChildEnd::Why> Child::Overdue() const {
  const auto now = Clock::now();
  if (limits_.whole.count() > 0 && now - began_ > limits_.whole) return ChildEnd::Why::kTooLong;
  if (limits_.silence.count() > 0 && now - heard_ > limits_.silence) return ChildEnd::Why::kSilent;
  if (stop_()) return ChildEnd::Why::kStopped;
  return std::nullopt;
}

// Signals the whole group: SIGTERM, then SIGKILL after the grace period.
void Child::End(ChildEnd::Why why) {
  if (!kill_at_) {
    end_.why = why;
    kill_at_ = Clock::now() + limits_.grace;
    ::kill(-pid_, SIGTERM);
  } else if (Clock::now() > *kill_at_) {
    ::kill(-pid_, SIGKILL);
  }
}

// Returns when the program has ended and all its output is read.
Status Child::Watch() {
  bool more = true;
  milliseconds pause{1};  // most programs end soon after they close their output
  while (!HasEnded()) {
    if (more) {
      auto read = ReadSome(kLook);
      if (!read.ok()) return read.error();
      more = *read;
    } else {
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, kLook);
    }
    const auto why = kill_at_ ? end_.why : Overdue();
    if (why) End(*why);
  }
  const auto until = Clock::now() + kLastOutput;
  while (more && Clock::now() < until) {
    auto read = ReadSome(std::min(kLook, kLastOutput));
    if (!read.ok()) return read.error();
    more = *read;
  }
  EndLine();
  return Ok();
}

Result<ChildEnd> Child::Run() {
  if (Status opened = OpenLog(); !opened.ok()) return opened.error();
  if (Status started = Start(); !started.ok()) return started.error();
  const Status watched = Watch();
  ::kill(-pid_, SIGKILL);  // processes that the program left running
  Reap();
  if (!watched.ok()) return watched.error();
  return end_;
}

}  // namespace

std::optional<int> WaitFor(pid_t pid) {
  int status = 0;
  pid_t got = 0;
  while ((got = ::waitpid(pid, &status, 0)) < 0 && errno == EINTR) {
  }
  return got > 0 ? std::optional(status) : std::nullopt;
}

// A pipe reports why exec failed. A successful exec closes the pipe.
Result<pid_t> StartChild(const ChildCommand& command, const ChildStreams& streams) {
  std::array<int, 2> failure{};
  if (::pipe2(failure.data(), O_CLOEXEC) != 0) return Unstartable(command, errno);
  const Fd failed(failure[0]);
  Fd failure_end(failure[1]);
  std::vector<std::string> arguments = command.arguments, environment = EnvironmentOf(command);
  std::vector<char*> argv = Pointers(arguments), envp = Pointers(environment);
  // Without this, a script of the same user could read the API key from /proc/PID/environ.
  if (!Environment(kKeyVariable).empty()) ::prctl(PR_SET_DUMPABLE, 0);
  const pid_t parent = ::getpid(), child = ::fork();
  if (child < 0) return Unstartable(command, errno);
  if (child == 0) {
    Become(command, streams, parent, argv.data(), envp.data());
    const int reason = errno;
    (void)!::write(failure_end.get(), &reason, sizeof(reason));
    ::_exit(127);
  }
  ::setpgid(child, child);  // parent and child both call it, because either may run first
  failure_end = Fd();
  int reason = 0;
  ssize_t got = 0;
  while ((got = ::read(failed.get(), &reason, sizeof(reason))) < 0 && errno == EINTR) {
  }
  if (got != sizeof(reason)) return child;
  WaitFor(child);
  return Unstartable(command, reason);
}

std::string ChildEnd::Text() const {
  switch (why) {
    case Why::kTooLong:
      return "a timeout";
    case Why::kSilent:
      return "a timeout, because it printed nothing for too long";
    case Why::kStopped:
      return "a stop by tunehub";
    case Why::kItself:
      break;
  }
  return signal != 0 ? fmt::format("signal {}", signal) : fmt::format("exit code {}", code);
}

Result<ChildEnd> RunChild(const ChildCommand& command, const ChildLimits& limits,
                          const std::function<void(std::string_view)>& line,
                          const std::function<bool()>& stop) {
  return Child(command, limits, line, stop).Run();
}

}  // namespace tunehub::core
