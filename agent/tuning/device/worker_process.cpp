#include "agent/tuning/device/worker_process.h"

#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/base/read_json.h"
#include "core/system/child_start.h"

namespace tunehub::agent::tuning {
namespace {

using std::chrono::steady_clock;

// An offer of thousands of candidates stays far below; a worker gone mad must not fill the memory.
constexpr std::size_t kMostAnswerBytes = std::size_t{16} << 20;
// What a shell says of a program that it could not run: a worker may be a script.
constexpr int kNotStarted = 127;

core::Error Unstartable(const std::string& program) {
  return {"worker_unstartable", program + ": " + std::generic_category().message(errno)};
}

struct Channel {
  core::Fd ours, theirs;
};

// The worker's input and output. A socket, since of a worker that is gone a pipe would tell by
// SIGPIPE, and whoever has not thought of that signal would end.
core::Result<Channel> MakeChannel(const std::string& program) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return Unstartable(program);
  }
  return Channel{core::Fd(ends[0]), core::Fd(ends[1])};
}

bool SendAll(int socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

core::Status WorkerProcess::Start() {
  auto channel = MakeChannel(command_.front());
  if (!channel.ok()) return channel.error();
  std::vector<std::string> arguments = command_;
  // A file, wherever $PATH would look for one of that name.
  arguments.front() = std::filesystem::absolute(arguments.front());
  const int theirs = channel->theirs.get();
  const std::lock_guard lock(lifetime_);
  const auto started =
      core::StartChild({std::move(arguments), {}, {}, {}}, {.input = theirs, .output = theirs});
  if (!started.ok()) return core::Error{"worker_unstartable", started.error().detail};
  pid_ = *started;
  channel_ = std::move(channel->ours);
  unread_.clear();
  return core::Ok();
}

void WorkerProcess::Kill() {
  const std::lock_guard lock(lifetime_);
  if (pid_ <= 0) return;
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
}

void WorkerProcess::Stop() {
  if (Runs()) (void)Reap();
}

core::Error WorkerProcess::Reap() {
  Kill();
  const std::lock_guard lock(lifetime_);
  const int status = core::WaitFor(pid_).value_or(0);
  pid_ = 0;
  if (WIFSIGNALED(status)) {
    return {"worker_crashed", fmt::format("the worker ended with signal {}", WTERMSIG(status))};
  }
  if (WEXITSTATUS(status) == kNotStarted) {
    return {"worker_unstartable", command_.front() + " cannot be started"};
  }
  return {"worker_crashed", fmt::format("the worker ended with status {}", WEXITSTATUS(status))};
}

core::Result<std::string> WorkerProcess::ReadLine(steady_clock::time_point deadline) {
  std::array<char, 65536> buffer{};
  std::size_t searched = 0;
  for (;;) {
    if (const auto end = unread_.find('\n', searched); end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    searched = unread_.size();
    if (searched > kMostAnswerBytes) return core::Error{"worker_garbage", "a line without an end"};
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - steady_clock::now());
    pollfd wait{channel_.get(), POLLIN, 0};
    const int ready = ::poll(&wait, 1, static_cast<int>(std::max<long>(left.count(), 0)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return core::Error{"worker_hung", "no answer within the deadline"};
    const ssize_t size = ::read(channel_.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return core::Error{"worker_crashed", ""};
    unread_.append(buffer.data(), static_cast<std::size_t>(size));
  }
}

core::Result<nlohmann::json> WorkerProcess::Ask(const nlohmann::json& request,
                                                std::chrono::milliseconds deadline) {
  if (!Runs()) {
    if (auto status = Start(); !status.ok()) return status.error();
  }
  const auto until = steady_clock::now() + deadline;
  core::Result<std::string> line = core::Error{"worker_crashed", ""};
  if (SendAll(channel_.get(), request.dump() + "\n")) line = ReadLine(until);
  if (line.ok()) {
    auto answer = core::ReadJson(*line);
    if (answer.is_object()) return answer;
    line = core::Error{"worker_garbage", "no JSON object: " + line->substr(0, 80)};
  }
  const core::Error end = Reap();
  return line.error().code == "worker_crashed" ? end : line.error();
}

}  // namespace tunehub::agent::tuning
