#include "agent/daemon/idle_pace.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <ctime>

namespace tunehub::agent {
namespace {

constexpr int kMinutesPerHour = 60, kHoursPerDay = 24;

// "01:00" -> 60; also "24:00".
std::optional<int> Minute(std::string_view text) {
  if (text.size() != 5 || text[2] != ':') return std::nullopt;
  const auto number = [&](std::size_t at) -> std::optional<int> {
    int value = 0;
    const char* const begin = text.data() + at;
    const auto [end, error] = std::from_chars(begin, begin + 2, value);
    if (error != std::errc() || end != begin + 2 || value < 0) return std::nullopt;
    return value;
  };
  const auto hours = number(0), minutes = number(3);
  if (!hours || !minutes || *minutes >= kMinutesPerHour) return std::nullopt;
  const int total = *hours * kMinutesPerHour + *minutes;
  if (total > kHoursPerDay * kMinutesPerHour) return std::nullopt;
  return total;
}

}  // namespace

bool Window::Contains(int minute_of_day) const {
  if (begin <= end) return minute_of_day >= begin && minute_of_day < end;
  return minute_of_day >= begin || minute_of_day < end;
}

core::Result<Window> ParseWindow(std::string_view text) {
  const auto dash = std::min(text.find('-'), text.size());
  const auto begin = Minute(text.substr(0, dash));
  const auto end = Minute(text.substr(std::min(dash + 1, text.size())));
  if (!begin || !end || *begin == *end) {
    return core::Error{
        "bad_window",
        fmt::format("'{}': expected two different times of day, such as 01:00-05:00", text)};
  }
  return Window{*begin, *end};
}

int MinuteOfDay() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  return local.tm_hour * kMinutesPerHour + local.tm_min;
}

using std::chrono::steady_clock;

IdlePace::IdlePace(std::unique_ptr<Probe> probe, IdleOptions options, std::function<OwnWork()> own,
                   std::function<void()> give_up, std::function<bool()> stop)
    : probe_(std::move(probe)),
      options_(std::move(options)),
      own_(std::move(own)),
      give_up_(std::move(give_up)),
      stop_(std::move(stop)) {
  thread_.Start([this] {
    do {
      Look();
    } while (thread_.Pause(options_.interval));
  });
}

void IdlePace::Look() {
  std::string why;
  if (options_.window && !options_.window->Contains(options_.minute_of_day())) {
    why = "waiting for the hours of --window";
  } else if (!options_.always) {
    why = probe_->Busy(own_());
  }
  const bool busy = !why.empty();
  const auto now = steady_clock::now();
  bool appeared = false;
  {
    const std::lock_guard lock(mutex_);
    appeared = busy && !was_busy_;
    if (!busy && was_busy_) idle_since_ = now;
    was_busy_ = busy;
    if (!busy && !options_.always && now - idle_since_ < options_.settle) {
      why = "the device was busy less than the idle time ago";
    }
    why_ = why;
    if (busy) ++disturbances_;
  }
  if (appeared) give_up_();
  changed_.notify_all();
}

core::Status IdlePace::Await() {
  std::unique_lock lock(mutex_);
  while (!why_.empty()) {
    if (stop_())
      return core::Error{kStopped, "the agent was asked to end while it waited for the device"};
    changed_.wait_for(lock, options_.interval);
  }
  return core::Ok();
}

std::string IdlePace::Why() const {
  const std::lock_guard lock(mutex_);
  return why_;
}

}  // namespace tunehub::agent
