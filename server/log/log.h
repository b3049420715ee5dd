// The server's log on stderr: one line per event, as text or JSON. The log masks API keys and
// passwords.
#pragma once

#include <spdlog/common.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tunehub::log {

enum class Format { kText, kJson };

// Sets the format of spdlog's default logger and of Say. Call it before any thread logs.
void Use(Format format);

// Starts a thread that writes the lines. From then on, no call waits for a reader of stderr, not
// even a call of spdlog. If too many lines wait, the log drops the oldest lines and reports their
// number.
void WaitForNoReader();

struct Field {
  std::string_view name;
  std::variant<std::string_view, std::int64_t, double> value;  // the log omits an empty text
};
using LineFields = std::vector<Field>;

// Logs one event, with its fields as members of the JSON or as name=value. Does not wait for a
// reader of stderr. `kind` is access, audit or error; spdlog's own lines have the kind server.
void Say(spdlog::level::level_enum level, std::string_view kind, std::string_view message,
         const LineFields& fields);

// Returns the line that spdlog would write, for callers that cannot wait for spdlog's lock.
std::string LineOf(spdlog::level::level_enum level, std::string_view message);

}  // namespace tunehub::log
