#include "server/log/log.h"

#include <fmt/core.h>
#include <spdlog/async_logger.h>
#include <spdlog/details/thread_pool.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "server/log/line_formatter.h"

namespace tunehub::log {
namespace {

// Lines that wait for whoever reads stderr, of some 400 bytes each. Beyond them the oldest are
// dropped.
constexpr std::size_t kWaitingLines = 4096;

struct Log {
  Format format = Format::kText;
  std::shared_ptr<spdlog::sinks::sink> sink;
  std::mutex mutex;  // guards what follows
  std::map<std::string, std::shared_ptr<spdlog::async_logger>, std::less<>> by_kind;
  // Made by the first line, which is after the server has left root. Last: it ends first, and
  // writes what waits.
  std::shared_ptr<spdlog::details::thread_pool> writer;
};

Log& TheLog() {
  static Log log;
  return log;
}

spdlog::string_view_t View(std::string_view text) {
  return {text.data(), text.size()};
}

// What clients make happen is written by a thread of its own: a pipe that nobody reads would stop
// the reactors.
std::shared_ptr<spdlog::async_logger> LoggerOf(Log& log, std::string_view kind) {
  const std::lock_guard lock(log.mutex);
  if (log.writer == nullptr)
    log.writer = std::make_shared<spdlog::details::thread_pool>(kWaitingLines, 1);
  const auto known = log.by_kind.find(kind);
  if (known != log.by_kind.end()) return known->second;
  auto logger = std::make_shared<spdlog::async_logger>(
      std::string(kind), log.sink, log.writer, spdlog::async_overflow_policy::overrun_oldest);
  return log.by_kind.emplace(kind, std::move(logger)).first->second;
}

// Says in the log how many lines it lacks, once they have become more.
void SayDropped(Log& log) {
  static std::atomic<std::size_t> said{0};
  const std::size_t dropped = log.writer->overrun_counter();
  const std::size_t before = said.exchange(dropped);
  if (dropped <= before) return;
  const std::string text =
      fmt::format("{} lines are missing here: nobody read stderr", dropped - before);
  LoggerOf(log, kProcess)->warn(View(text));
}

}  // namespace

void Use(Format format) {
  // The log goes to stderr: stdout is for answers.
  Log& log = TheLog();
  log.format = format;
  log.by_kind.clear();
  log.sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  log.sink->set_formatter(std::make_unique<LineFormatter>(format));
  auto logger = std::make_shared<spdlog::logger>(std::string(kProcess), log.sink);
  logger->set_level(spdlog::get_level());
  spdlog::set_default_logger(std::move(logger));
}

void Say(spdlog::level::level_enum level, std::string_view kind, std::string_view message,
         const LineFields& fields) {
  Log& log = TheLog();
  if (log.sink == nullptr || !spdlog::should_log(level)) return;
  const std::string payload = Payload(log.format, message, fields);
  LoggerOf(log, kind)->log(level, View(payload));
  SayDropped(log);
}

std::string LineOf(spdlog::level::level_enum level, std::string_view message) {
  spdlog::memory_buf_t line;
  LineFormatter(TheLog().format)
      .format(spdlog::details::log_msg(View(kProcess), level, View(message)), line);
  return {line.data(), line.size()};
}

}  // namespace tunehub::log
