// Formats a line of the log.
#pragma once

#include <spdlog/formatter.h>
#include <spdlog/pattern_formatter.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "server/log/log.h"

namespace tunehub::log {

// Overwrites secrets with '*', in place: all of an API key behind its hint ("thub_" and four more
// characters, as `key list` shows it), and passwords in the addresses of databases, as URL
// (//user:password@) and as keyword (password=...).
void MaskSecrets(char* text, std::size_t size);

inline constexpr std::string_view kProcess = "tunehub";  // the name of spdlog's own logger

class LineFormatter final : public spdlog::formatter {
 public:
  explicit LineFormatter(Format format) : format_(format) {}

  // A message of a logger other than kProcess is a text that Payload made.
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override;
  std::unique_ptr<spdlog::formatter> clone() const override;

 private:
  const Format format_;
  spdlog::pattern_formatter text_;
};

// The message and its fields as one text, which LineFormatter prints.
std::string Payload(Format format, std::string_view message, const LineFields& fields);

}  // namespace tunehub::log
