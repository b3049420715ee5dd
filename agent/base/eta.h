// How long something will take still, by how long it took so far.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace tunehub::agent {

class Eta {
 public:
  using Clock = std::chrono::steady_clock;
  using Now = std::function<Clock::time_point()>;

  explicit Eta(Now now = Clock::now) : now_(std::move(now)) {}

  // The first call, or one that says less than was done, is where the work begins: what was done
  // before it took no time of this process.
  void Done(double done, double total);
  // Nothing while nothing was done, or too little to judge by.
  std::optional<std::chrono::seconds> Left() const;
  // ", 3 min 20 s left", or "".
  std::string Text() const;

 private:
  Now now_;
  std::optional<Clock::time_point> begun_;
  double first_ = 0, done_ = 0, total_ = 0;
};

// The two largest units: "5 s", "3 min 20 s", "2 h 5 min", "4 d 1 h".
std::string DurationText(std::chrono::seconds duration);

}  // namespace tunehub::agent
