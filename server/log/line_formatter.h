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

// Overwrites secrets with '*', in place:
// - an API key after its hint ("thub_" and four more characters, as in `key list`)
// - passwords in database addresses: in a URL (//user:password@) or a keyword (password=...)
void MaskSecrets(char* text, std::size_t size);

inline constexpr std::string_view kProcess = "tunehub";  // the name of spdlog's own logger

class LineFormatter final : public spdlog::formatter {
 public:
  explicit LineFormatter(Format format) : format_(format) {}

  // If the logger is not kProcess, the message is a text from Payload.
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override;
  std::unique_ptr<spdlog::formatter> clone() const override;

 private:
  const Format format_;
  spdlog::pattern_formatter text_;
};

// Joins the message and its fields into one text, which LineFormatter prints.
std::string Payload(Format format, std::string_view message, const LineFields& fields);

}  // namespace tunehub::log
