#include "server/log/stderr_sink.h"

#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <string>

#include "server/log/line_formatter.h"

namespace tunehub::log {
namespace {

constexpr int kLookMs = 100;  // interval of checks of the time limit
constexpr std::string_view kNoColour = "\033[0m";
// Colours by level, as in spdlog's own sinks.
constexpr std::string_view kColours[] = {"\033[37m",        "\033[36m",        "\033[32m",
                                         "\033[33m\033[1m", "\033[31m\033[1m", "\033[1m\033[41m",
                                         "\033[0m"};

}  // namespace

bool TakesLine(int milliseconds) {
  pollfd ready{STDERR_FILENO, POLLOUT, 0};
  return ::poll(&ready, 1, milliseconds) > 0;
}

StderrSink::StderrSink() : has_colours_(::isatty(STDERR_FILENO) == 1) {}

void StderrSink::sink_it_(const spdlog::details::log_msg& message) {
  SayDropped();
  Put(message);
}

// The writing thread calls this before each line. So the log reports each gap once, at its place.
void StderrSink::SayDropped() {
  const std::size_t dropped = dropped_ ? dropped_() : 0;
  if (dropped == said_) return;
  const std::string text =
      fmt::format("{} lines are missing here, because nobody read stderr in time", dropped - said_);
  said_ = dropped;
  Put({{kProcess.data(), kProcess.size()}, spdlog::level::warn, text});
}

void StderrSink::Put(const spdlog::details::log_msg& message) {
  spdlog::memory_buf_t line;
  formatter_->format(message, line);
  const std::string_view text(line.data(), line.size());
  const std::size_t begin = message.color_range_start, end = message.color_range_end;
  if (!has_colours_ || end <= begin) return Write(text);
  Write(fmt::format("{}{}{}{}{}", text.substr(0, begin), kColours[message.level],
                    text.substr(begin, end - begin), kNoColour, text.substr(end)));
}

// Writes pieces that a writable pipe accepts as a whole, after poll(). So write() never blocks.
void StderrSink::Write(std::string_view text) {
  while (!text.empty() && Clock::now() < until_.load()) {
    if (!TakesLine(kLookMs)) continue;
    const ssize_t size =
        ::write(STDERR_FILENO, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (size > 0) text.remove_prefix(static_cast<std::size_t>(size));
    if (size < 0 && errno != EINTR && errno != EAGAIN) return;  // the reader is gone
  }
}

}  // namespace tunehub::log
