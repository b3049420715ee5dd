#include "agent/base/eta.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace tunehub::agent {
namespace {

// Of the first candidate's time no whole table can be foretold.
constexpr std::chrono::seconds kLeastTime{2};
constexpr double kLeastShare = 0.001;
// A guess beyond it is no guess.
constexpr double kMostSeconds = 100.0 * 24 * 3600;

}  // namespace

void Eta::Done(double done, double total) {
  if (!begun_ || done < done_) {
    begun_ = now_();
    first_ = done;
  }
  done_ = done;
  total_ = total;
}

std::optional<std::chrono::seconds> Eta::Left() const {
  if (!begun_ || total_ <= first_) return std::nullopt;
  const std::chrono::duration<double> took = now_() - *begun_;
  const double share = (done_ - first_) / (total_ - first_);
  if (took < kLeastTime || share < kLeastShare) return std::nullopt;
  const double left = took.count() / share * (1 - share);
  if (left > kMostSeconds) return std::nullopt;
  return std::chrono::seconds(std::llround(std::max(left, 0.0)));
}

std::string Eta::Text() const {
  const auto left = Left();
  return left ? fmt::format(", {} left", DurationText(*left)) : "";
}

std::string DurationText(std::chrono::seconds duration) {
  struct Unit {
    long long seconds;
    const char* name;
  };
  constexpr Unit kUnits[] = {{24 * 3600, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
  long long rest = duration.count();
  std::string text;
  for (const Unit& unit : kUnits) {
    const bool second = !text.empty();
    const long long count = rest / unit.seconds;
    rest %= unit.seconds;
    if (count > 0) text += fmt::format("{}{} {}", second ? " " : "", count, unit.name);
    if (second) return text;  // finer than that is no news
  }
  return text.empty() ? "0 s" : text;
}

}  // namespace tunehub::agent
