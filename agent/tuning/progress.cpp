#include "agent/tuning/progress.h"

#include <cstdio>
#include <ostream>

namespace tunehub::agent::tuning {
namespace {

constexpr std::size_t kBarWidth = 24;

std::string Microseconds(double us) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f us", us);
  return text;
}

}  // namespace

void Progress::Begin(std::size_t index, std::size_t total, const std::string& shape,
                     std::size_t candidates) {
  index_ = index;
  total_ = total;
  shape_ = shape;
  candidates_ = candidates;
  screened_ = 0;
  DrawBar();
}

void Progress::Screened(const Measurement&) {
  ++screened_;
  DrawBar();
}

void Progress::DrawBar() {
  if (!terminal_) return;
  const std::size_t full = total_ == 0 ? 0 : kBarWidth * index_ / total_;
  std::string bar(full, '#');
  bar.resize(kBarWidth, '.');
  std::fprintf(stderr, "\r\033[K[%s] %zu/%zu %s: %zu of %zu candidates", bar.c_str(), index_,
               total_, shape_.c_str(), screened_, candidates_);
  std::fflush(stderr);
}

void Progress::Finished(const DoneShape& done) {
  if (terminal_) std::fputs("\r\033[K", stderr);
  if (out_ == nullptr) return;
  *out_ << TextOf(done.shape) << ": ";
  if (!done.winner) {
    *out_ << "not tuned: " << done.reason << std::endl;
    return;
  }
  const Measurement& winner = done.measurements[*done.winner];
  const double us = Median(winner.samples);
  *out_ << TextOf(winner.candidate) << ", " << Microseconds(us);
  if (done.fallback && done.measurements[*done.fallback].competes()) {
    char text[64];
    std::snprintf(text, sizeof text, ", %.2f times the default's speed",
                  Median(done.measurements[*done.fallback].samples) / us);
    *out_ << text;
  }
  *out_ << ", " << done.measurements.size() << " candidates screened" << std::endl;
}

void Progress::Note(const std::string& text) {
  if (terminal_) std::fputs("\r\033[K", stderr);
  std::fprintf(stderr, "tunehub-agent: %s\n", text.c_str());
  DrawBar();
}

}  // namespace tunehub::agent::tuning
