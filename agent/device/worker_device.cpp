#include "agent/device/worker_device.h"

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

#include "core/base/process.h"
#include "core/base/read_json.h"

namespace tunehub::agent {
namespace {

using std::chrono::steady_clock;

// The limit of an answer, so that a faulty worker does not fill the memory. An answer that lists
// thousands of candidates is far smaller than this limit.
constexpr std::size_t kMostAnswerBytes = std::size_t{16} << 20;
// A shell's exit status for a program that it cannot run. (A worker may be a script.)
constexpr int kNotStarted = 127;

bool SendAll(int socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

core::Error Refusal(const nlohmann::json& answer) {
  const auto text = [&](const char* member) {
    const auto found = answer.find(member);
    return found != answer.end() && found->is_string() ? found->get<std::string>() : "";
  };
  return {text("failed"), text("detail")};
}

bool EndsWorker(const core::Result<nlohmann::json>& answer) {
  return answer.ok() && answer->contains("failed") && answer->value("ends", false);
}

}  // namespace

core::Status WorkerProcess::Start() {
  // The worker's input and output. It is a socket, because writing to the pipe of a dead worker
  // would raise SIGPIPE, which ends a process that does not handle it.
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return core::Error{"worker_unstartable",
                       command_.front() + ": " + std::generic_category().message(errno)};
  }
  core::Fd ours(ends[0]);
  const core::Fd theirs(ends[1]);
  std::vector<std::string> arguments = command_;
  // An absolute path, so that $PATH is not searched.
  arguments.front() = std::filesystem::absolute(arguments.front());
  const std::lock_guard lock(lifetime_);
  const auto started = core::StartChild({std::move(arguments), {}, {}, {}},
                                        {.input = theirs.get(), .output = theirs.get()});
  if (!started.ok()) return core::Error{"worker_unstartable", started.error().detail};
  pid_ = *started;
  channel_ = std::move(ours);
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
    if (searched > kMostAnswerBytes)
      return core::Error{"worker_garbage", "the worker sent a line that does not end"};
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - steady_clock::now());
    pollfd wait{channel_.get(), POLLIN, 0};
    const int ready = ::poll(&wait, 1, static_cast<int>(std::max<long>(left.count(), 0)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return core::Error{"worker_hung", "the worker did not answer in time"};
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
    line = core::Error{"worker_garbage",
                       "expected a JSON object; the worker answered: " + line->substr(0, 80)};
  }
  const core::Error end = Reap();
  return line.error().code == "worker_crashed" ? end : line.error();
}

void WorkerDevice::Interrupt() {
  // Counted before and after the kill, so that an Ask() during the kill gets a new count.
  ++interrupts_;
  worker_.Kill();
  ++interrupts_;
}

core::Result<nlohmann::json> WorkerDevice::PrepareWorker() {
  if (const unsigned interrupts = interrupts_; interrupts != seen_interrupts_) {
    worker_.Stop();  // the worker has ended or is ending
    seen_interrupts_ = interrupts;
  }
  const nlohmann::json request = {
      {"do", "prepare"}, {"family", family_}, {"shape", shape_}, {"seed", options_.seed}};
  auto answer = worker_.Ask(request, options_.prepare);
  if (EndsWorker(answer)) {
    worker_.Stop();  // this process lost the device; a new one may open it
    answer = worker_.Ask(request, options_.prepare);
  }
  if (EndsWorker(answer)) {
    worker_.Stop();
    return core::Error{kNoDevice, Refusal(*answer).detail};
  }
  if (answer.ok() && answer->contains("failed")) return Refusal(*answer);
  if (!answer.ok() && interrupts_ != seen_interrupts_)
    return core::Error{kInterrupted, "interrupted while the worker prepared the shape"};
  prepared_ = answer.ok();
  return answer;
}

core::Result<std::vector<std::string>> WorkerDevice::Kernels(const std::string& family) {
  const auto answer = worker_.Ask({{"do", "kernels"}, {"family", family}}, options_.prepare);
  if (!answer.ok()) return core::Error{kNoDevice, answer.error().detail};
  if (answer->contains("failed")) return core::Error{kNoDevice, Refusal(*answer).detail};
  try {
    return answer->at("kernels").get<std::vector<std::string>>();
  } catch (const nlohmann::json::exception& error) {
    return core::Error{kNoDevice,
                       fmt::format("the worker's answer to `kernels`: {}", error.what())};
  }
}

core::Result<Offer> WorkerDevice::Prepare(const std::string& family, const Columns& shape) {
  family_ = family;
  shape_ = shape;
  prepared_ = false;
  const auto answer = PrepareWorker();
  if (!answer.ok()) {
    if (answer.error().code == "worker_unstartable") {
      return core::Error{kNoDevice, answer.error().detail};
    }
    if (!answer.error().code.starts_with("worker_")) return answer.error();
    return core::Error{kUnsupported,
                       "the worker failed to prepare the shape: " + answer.error().detail};
  }
  try {
    Offer offer{answer->at("candidates").get<std::vector<Columns>>(),
                answer->at("fallback").get<std::size_t>(), answer->value("caches", false)};
    if (offer.fallback < offer.candidates.size()) return offer;
    return core::Error{kUnsupported, "no kernel can run this shape on this device"};
  } catch (const nlohmann::json::exception& error) {
    return core::Error{kUnsupported,
                       fmt::format("the worker's answer to `prepare`: {}", error.what())};
  }
}

core::Result<nlohmann::json> WorkerDevice::Ask(const nlohmann::json& request) {
  if (!prepared_ || !worker_.Runs() || interrupts_ != seen_interrupts_) {
    if (const auto again = PrepareWorker(); !again.ok()) {
      if (again.error().code == kInterrupted) return again.error();
      return core::Error{kNoDevice, "the worker does not start again: " + again.error().detail};
    }
  }
  auto answer = worker_.Ask(request, options_.candidate);
  if (!answer.ok()) {
    if (interrupts_ != seen_interrupts_)
      return core::Error{kInterrupted, "interrupted during a measurement"};
    return core::Error{kCandidateFailed, answer.error().code + ": " + answer.error().detail};
  }
  if (answer->contains("failed")) {
    // After this candidate's failure, the worker has lost its device. The next candidate gets a new
    // process.
    if (EndsWorker(answer)) worker_.Stop();
    return core::Error{kCandidateFailed, Refusal(*answer).detail};
  }
  return answer;
}

core::Error WorkerDevice::Garbage(const std::string& what) {
  worker_.Stop();
  return {kCandidateFailed, "worker_garbage: " + what};
}

core::Result<Verdict> WorkerDevice::Verify(std::size_t candidate) {
  const auto answer = Ask({{"do", "verify"}, {"candidate", candidate}});
  if (!answer.ok()) return answer.error();
  const auto error = answer->find("error");
  if (error == answer->end() || !error->is_number())
    return Garbage("the worker's answer to `verify` has no `error`");
  const auto wrong = answer->find("wrong");
  const bool text = wrong != answer->end() && wrong->is_string();
  return Verdict{error->get<double>(), text ? wrong->get<std::string>() : ""};
}

core::Result<double> WorkerDevice::Microseconds(const nlohmann::json& request,
                                                nlohmann::json* all) {
  const auto answer = Ask(request);
  if (!answer.ok()) return answer.error();
  if (all != nullptr) *all = *answer;
  const auto us = answer->find("us");
  if (us == answer->end() || !us->is_number() || !(us->get<double>() > 0)) {
    return Garbage("the worker's answer to `sample` has no time");
  }
  return us->get<double>();
}

core::Result<double> WorkerDevice::Sample(std::size_t candidate, int calls, Cache cache) {
  nlohmann::json request = {{"do", "sample"}, {"candidate", candidate}, {"calls", calls}};
  if (cache != Cache::kRotating) request["cache"] = NameOf(cache);
  return Microseconds(request);
}

// The same pulse succeeded before, so a worker whose pulse fails has lost its device.
core::Result<Pulse> WorkerDevice::FeelPulse() {
  nlohmann::json answer;
  const auto us = Microseconds({{"do", "pulse"}}, &answer);
  if (!us.ok()) {
    if (us.error().code != kCandidateFailed) return us.error();
    return core::Error{kNoDevice, us.error().detail};
  }
  try {
    Pulse pulse{*us, answer.value("capped", false)};
    if (answer.contains("clocks")) {
      const auto [sm, memory, celsius, watts, throttle] =
          answer["clocks"].get<std::array<double, 5>>();
      const double reasons = std::clamp(throttle, 0.0, double{UINT32_MAX});
      pulse.clocks = {sm, memory, celsius, watts, static_cast<std::uint32_t>(reasons)};
    }
    return pulse;
  } catch (const nlohmann::json::exception& error) {
    return core::Error{kNoDevice, fmt::format("the worker's answer to `pulse`: {}", error.what())};
  }
}

}  // namespace tunehub::agent
