#include "server/store/connection/session_settings.h"

#include <fmt/core.h>

#include <string_view>

namespace tunehub::store {
namespace {

struct SessionSetting {
  std::string_view name, value;
};

constexpr SessionSetting kSessionSettings[] = {
    // A dead peer is noticed, a lock is not waited for without end, an abandoned transaction ends.
    {"statement_timeout", "120s"},
    {"lock_timeout", "30s"},
    {"idle_in_transaction_session_timeout", "60s"},
    // What is slower with it, or too small.
    {"jit", "off"},
    {"work_mem", "64MB"},
    {"temp_buffers", "64MB"},
    {"client_min_messages", "warning"},
    // How values are written: the store reads them in this form alone.
    {"client_encoding", "UTF8"},
    {"bytea_output", "hex"},
    {"TimeZone", "UTC"},
    {"DateStyle", "ISO, YMD"},
    {"IntervalStyle", "postgres"},
    {"extra_float_digits", "1"},
    // How statements are read, and what they see: a batch looks behind the locks that it waits for.
    {"standard_conforming_strings", "on"},
    {"array_nulls", "on"},
    {"transform_null_equals", "off"},
    {"default_transaction_isolation", "read committed"},
};

}  // namespace

std::string SessionSettings() {
  std::string statements;
  for (const SessionSetting& it : kSessionSettings)
    statements += fmt::format("SET {} = '{}';", it.name, it.value);
  return statements;
}

}  // namespace tunehub::store
