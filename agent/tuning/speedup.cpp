#include "agent/tuning/speedup.h"

#include <cmath>
#include <map>

namespace tunehub::agent::tuning {
namespace {

constexpr double kSlowerRatio = 1.005, kSlowerUs = 0.5;

Change ChangeOf(double before_us, double after_us) {
  if (before_us == 0) return Change::kNew;
  if (after_us == 0) return Change::kRemoved;
  if (before_us < kLeastGoldenUs) return Change::kIgnored;
  if (after_us > kSlowerRatio * before_us + kSlowerUs) return Change::kSlower;
  return before_us > kSlowerRatio * after_us + kSlowerUs ? Change::kFaster : Change::kSame;
}

}  // namespace

std::optional<double> SpeedupOf(const DoneShape& done) {
  if (!done.winner || !done.fallback) return std::nullopt;
  const Measurement& fallback = done.measurements[*done.fallback];
  if (!fallback.competes()) return std::nullopt;
  return Median(fallback.samples) / Median(done.measurements[*done.winner].samples);
}

double GeometricMean(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

const char* Name(Change change) {
  constexpr const char* kNames[] = {"faster", "same", "slower", "ignored", "new", "removed"};
  return kNames[static_cast<std::size_t>(change)];
}

std::vector<Compared> Compare(const std::vector<TunedRow>& before,
                              const std::vector<TunedRow>& after) {
  std::map<std::string, Compared> by_order;
  const auto add = [&](const std::vector<TunedRow>& rows, double Compared::*us) {
    for (const TunedRow& row : rows) {
      Compared& it = by_order[row.order];
      it.order = row.order;
      it.target = row.target;
      it.shape = row.shape;
      it.*us = row.us;
    }
  };
  add(before, &Compared::before_us);
  add(after, &Compared::after_us);
  std::vector<Compared> compared;
  for (auto& [order, it] : by_order) {
    it.change = ChangeOf(it.before_us, it.after_us);
    compared.push_back(std::move(it));
  }
  return compared;
}

}  // namespace tunehub::agent::tuning
