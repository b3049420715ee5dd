// The server's log: one line a happening, on stderr, as text or as JSON. No line holds a secret:
// keys and passwords are masked wherever they come from.
#pragma once

#include <spdlog/common.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tunehub::log {

enum class Format { kText, kJson };

// From now on spdlog's default logger writes so, and Say. Before any thread logs.
void Use(Format format);

// From now on no line waits for a reader of stderr, spdlog's own neither: beyond what fits in
// memory the oldest are dropped, and the log says how many. Starts a thread.
void WaitForNoReader();

struct Field {
  std::string_view name;
  std::variant<std::string_view, std::int64_t, double> value;  // an empty text is left out
};
using LineFields = std::vector<Field>;

// A line about one thing, which waits for no reader of stderr, with its fields as members of the
// JSON or as name=value. `kind` tells lines apart: access, audit, error; those of spdlog itself are
// of kind server.
void Say(spdlog::level::level_enum level, std::string_view kind, std::string_view message,
         const LineFields& fields);

// The line that spdlog would write, for who cannot wait for its lock.
std::string LineOf(spdlog::level::level_enum level, std::string_view message);

}  // namespace tunehub::log
