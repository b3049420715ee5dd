#include "server/log/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "server/log/line_formatter.h"

namespace tunehub::log {
namespace {

struct Log {
  Format format = Format::kText;
  std::shared_ptr<spdlog::sinks::sink> sink;
};

Log& TheLog() {
  static Log log;
  return log;
}

spdlog::string_view_t View(std::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace

void Use(Format format) {
  // The log goes to stderr: stdout is for answers.
  Log& log = TheLog();
  log.format = format;
  log.sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  log.sink->set_formatter(std::make_unique<LineFormatter>(format));
  auto logger = std::make_shared<spdlog::logger>(std::string(kProcess), log.sink);
  logger->set_level(spdlog::get_level());
  spdlog::set_default_logger(std::move(logger));
}

void Say(spdlog::level::level_enum level, std::string_view kind, std::string_view message,
         const LineFields& fields) {
  const Log& log = TheLog();
  if (log.sink == nullptr || !spdlog::should_log(level)) return;
  const std::string payload = Payload(log.format, message, fields);
  log.sink->log(spdlog::details::log_msg(View(kind), level, View(payload)));
}

std::string LineOf(spdlog::level::level_enum level, std::string_view message) {
  spdlog::memory_buf_t line;
  LineFormatter(TheLog().format)
      .format(spdlog::details::log_msg(View(kProcess), level, View(message)), line);
  return {line.data(), line.size()};
}

}  // namespace tunehub::log
