// Lines to stderr, by a thread that waits for who reads them, and for no longer than it is let.
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

// Whether stderr takes a line within so many milliseconds; -1: however long that takes.
bool TakesLine(int milliseconds);

class StderrSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  StderrSink();

  // How many lines were dropped before they came here. It is asked before each, and the log says
  // how many it lacks. Before any other thread writes.
  void CountDroppedBy(std::function<std::size_t()> count) { dropped_ = std::move(count); }
  // What is not taken within kPatience from now on is dropped.
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
