#include "server/log/log.h"

#include <spdlog/async_logger.h>
#include <spdlog/details/thread_pool.h>
#include <spdlog/logger.h>
#include <spdlog/spdlog.h>

#include <map>
#include <memory>
#include <mutex>

#include "server/log/line_formatter.h"
#include "server/log/stderr_sink.h"

namespace tunehub::log {
namespace {

// At most this many lines, of some 400 bytes each, wait for the reader of stderr. If more lines
// wait, the log drops the oldest.
constexpr std::size_t kWaitingLines = 4096;

struct Log {
  Log() = default;
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  // Writes the waiting lines. Does not delay the end of the process if nobody reads stderr.
  ~Log() {
    if (sink != nullptr) sink->GiveUp();
  }

  Format format = Format::kText;
  std::shared_ptr<StderrSink> sink;
  std::mutex mutex;  // guards the members below
  std::map<std::string, std::shared_ptr<spdlog::async_logger>, std::less<>> by_kind;
  std::shared_ptr<spdlog::details::thread_pool> writer;  // the last member, so that it ends first
};

Log& TheLog() {
  static Log log;
  return log;
}

spdlog::string_view_t View(std::string_view text) {
  return {text.data(), text.size()};
}

// The writing thread. Call this only after the server has given up root.
std::shared_ptr<spdlog::details::thread_pool> WriterLocked(Log& log) {
  if (log.writer == nullptr) {
    log.writer = std::make_shared<spdlog::details::thread_pool>(kWaitingLines, 1);
    log.sink->CountDroppedBy([writer = log.writer.get()] { return writer->overrun_counter(); });
  }
  return log.writer;
}

// A separate thread writes the lines that clients cause. Otherwise a pipe that nobody reads would
// stop the reactors.
std::shared_ptr<spdlog::async_logger> LoggerOf(Log& log, std::string_view kind) {
  const std::lock_guard lock(log.mutex);
  const auto writer = WriterLocked(log);
  const auto known = log.by_kind.find(kind);
  if (known != log.by_kind.end()) return known->second;
  auto logger = std::make_shared<spdlog::async_logger>(
      std::string(kind), log.sink, writer, spdlog::async_overflow_policy::overrun_oldest);
  return log.by_kind.emplace(kind, std::move(logger)).first->second;
}

void MakeDefault(std::shared_ptr<spdlog::logger> logger) {
  logger->set_level(spdlog::get_level());
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace

void Use(Format format) {
  // The log goes to stderr, because stdout is for answers.
  Log& log = TheLog();
  log.by_kind.clear();
  log.writer.reset();
  log.format = format;
  log.sink = std::make_shared<StderrSink>();
  log.sink->set_formatter(std::make_unique<LineFormatter>(format));
  MakeDefault(std::make_shared<spdlog::logger>(std::string(kProcess), log.sink));
}

void WaitForNoReader() {
  MakeDefault(LoggerOf(TheLog(), kProcess));
}

void Say(spdlog::level::level_enum level, std::string_view kind, std::string_view message,
         const LineFields& fields) {
  Log& log = TheLog();
  if (log.sink == nullptr || !spdlog::should_log(level)) return;
  const std::string payload = Payload(log.format, message, fields);
  LoggerOf(log, kind)->log(level, View(payload));
}

std::string LineOf(spdlog::level::level_enum level, std::string_view message) {
  spdlog::memory_buf_t line;
  LineFormatter(TheLog().format)
      .format(spdlog::details::log_msg(View(kProcess), level, View(message)), line);
  return {line.data(), line.size()};
}

}  // namespace tunehub::log
