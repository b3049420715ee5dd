// Writes lines to stderr in a thread that waits for the reader, but only for a limited time.
#pragma once

#include <spdlog/sinks/base_sink.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string_view>
#include <utility>

namespace tunehub::log {

// True if stderr accepts a line within this time. -1: waits without limit.
bool TakesLine(int milliseconds);

class StderrSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  StderrSink();

  // `count` returns the number of lines that were dropped before they reached the sink. The sink
  // calls `count` before each line and logs how many lines are missing. Call this function before
  // another thread writes.
  void CountDroppedBy(std::function<std::size_t()> count) { dropped_ = std::move(count); }
  // Writes for at most kPatience from now on, then drops all lines.
  void GiveUp() { until_ = Clock::now() + kPatience; }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override {}

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kPatience{1'000};

  void SayDropped();
  void Put(const spdlog::details::log_msg& message);
  void Write(std::string_view text);

  const bool has_colours_;
  std::function<std::size_t()> dropped_;
  std::size_t said_ = 0;
  std::atomic<Clock::time_point> until_{Clock::time_point::max()};
};

}  // namespace tunehub::log
