#include "agent/tuning/progress.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <ostream>

#include "core/base/plain_text.h"

namespace tunehub::agent::tuning {
namespace {

constexpr std::size_t kBarWidth = 24;
constexpr std::chrono::minutes kBetweenLines{1};  // of what is no terminal

}  // namespace

void Progress::Begin(std::size_t index, std::size_t total, const std::string& shape,
                     std::size_t candidates) {
  index_ = index;
  total_ = total;
  shape_ = shape;
  candidates_ = candidates;
  screened_ = 0;
  Show();
}

void Progress::Screened(const Measurement&) {
  ++screened_;
  Show();
}

void Progress::Show() {
  const double of_shape =
      candidates_ == 0
          ? 0
          : std::min(1.0, static_cast<double>(screened_) / static_cast<double>(candidates_));
  eta_.Done(static_cast<double>(index_) + of_shape, static_cast<double>(total_));
  if (options_.terminal) {
    DrawBar();
  } else {
    SayNowAndThen();
  }
}

void Progress::DrawBar() {
  const std::size_t full = total_ == 0 ? 0 : kBarWidth * index_ / total_;
  std::string bar(full, '#');
  bar.resize(kBarWidth, '.');
  std::fprintf(options_.err, "\r\033[K[%s] %zu/%zu%s; %s: %zu of %zu candidates", bar.c_str(),
               index_, total_, eta_.Text().c_str(), shape_.c_str(), screened_, candidates_);
  std::fflush(options_.err);
}

void Progress::ClearBar() {
  if (options_.terminal) std::fputs("\r\033[K", options_.err);
}

void Progress::SayNowAndThen() {
  const auto now = options_.now();
  if (now - said_ < kBetweenLines) return;
  said_ = now;
  std::fprintf(options_.err, "tunehub-agent: %zu of %zu shapes%s\n", index_, total_,
               eta_.Text().c_str());
  std::fflush(options_.err);
}

std::string Progress::LineOf(const DoneShape& done) const {
  const std::string shape = TextOf(done.shape) + ": ";
  if (!done.tuned_by.empty()) return shape + "tuned by " + done.tuned_by;
  if (!done.winner)
    return shape + (options_.searches ? "not tuned: " : "not measured: ") + done.reason;
  const Measurement& winner = done.measurements[*done.winner];
  const double us = Median(winner.samples);
  std::string line = shape + fmt::format("{}, {:.1f} us", TextOf(winner.candidate), us);
  if (!options_.searches) return line;
  if (done.fallback && done.measurements[*done.fallback].competes()) {
    line += fmt::format(", {:.2f} times the default's speed",
                        Median(done.measurements[*done.fallback].samples) / us);
  }
  return line + ", " + std::to_string(done.measurements.size()) + " candidates screened";
}

void Progress::Finished(const DoneShape& done) {
  ClearBar();
  for (std::ostream* out : {out_, options_.log}) {
    if (out != nullptr) *out << LineOf(done) << std::endl;
  }
}

void Progress::Note(const std::string& text) {
  ClearBar();
  std::fprintf(options_.err, "tunehub-agent: %s\n", core::PlainText(text).c_str());
  if (options_.log != nullptr) *options_.log << text << std::endl;
  if (options_.terminal) DrawBar();
}

}  // namespace tunehub::agent::tuning
