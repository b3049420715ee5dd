#include "core/row/winner.h"

#include <cmath>
#include <limits>

namespace tunehub::core {
namespace {

double Last(double value) {
  return std::isnan(value) ? std::numeric_limits<double>::infinity() : value;
}

// Postgres sorts a null behind infinity; so does this.
int Compare(double a, double b) {
  if (std::isnan(a) != std::isnan(b)) return std::isnan(a) ? 1 : -1;
  if (Last(a) != Last(b)) return Last(a) < Last(b) ? -1 : 1;
  return 0;
}

}  // namespace

bool Beats(const Contender& a, const Contender& b) {
  if (a.standing != b.standing) return a.standing < b.standing;
  if (a.standing != Standing::kMeasured && a.rank != b.rank) return a.rank < b.rank;
  if (a.standing == Standing::kDeclared) {
    if (a.run_time != b.run_time) return a.run_time > b.run_time;
    if (a.run != b.run) return a.run < b.run;
    return a.candidate < b.candidate;
  }
  if (const int us = Compare(a.us, b.us); us != 0) return us < 0;
  if (const int error = Compare(a.error, b.error); error != 0) return error < 0;
  if (a.candidate != b.candidate) return a.candidate < b.candidate;
  return a.run < b.run;
}

std::string_view Name(WinReason reason) {
  constexpr std::string_view kNames[] = {"only_candidate", "lowest_time",   "lower_error",
                                         "tie_break",      "only_measured", "nothing_measured",
                                         "latest_declared"};
  const auto i = static_cast<std::size_t>(reason);
  return i < std::size(kNames) ? kNames[i] : "unknown";
}

}  // namespace tunehub::core
