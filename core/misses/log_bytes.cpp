#include "core/misses/log_bytes.h"

#include <fmt/core.h>

#include <algorithm>

namespace tunehub::core {
namespace {

using namespace std::string_view_literals;

struct Sign {
  std::string_view begin, what, command;  // the command writes text to standard output
};
constexpr Sign kSigns[] = {
    {"\x1f\x8b"sv, "packed by gzip", "zcat"},
    {"\x28\xb5\x2f\xfd"sv, "packed by zstd", "zstdcat"},
    {"\xfd"
     "7zXZ\0"sv,
     "packed by xz", "xzcat"},
    {"\xff\xfe"sv, "UTF-16 text", "iconv -f UTF-16 -t UTF-8"},
    {"\xfe\xff"sv, "UTF-16 text", "iconv -f UTF-16 -t UTF-8"},
};

}  // namespace

Status CheckLogBytes(std::string_view bytes, bool first, std::string_view place) {
  for (const Sign& sign : kSigns) {
    if (!first || !bytes.starts_with(sign.begin)) continue;
    return Error{kBadLog, fmt::format("{}: {}, which is not read as a log. Pass it as UTF-8 text, "
                                      "for example: {} FILE | tunehub-agent explain -",
                                      place, sign.what, sign.command)};
  }
  const std::size_t nul = bytes.find('\0');
  if (nul == std::string_view::npos) return Ok();
  return Error{
      kBadLog,
      fmt::format(
          "{}: line {} of the part read holds a NUL byte; a log is UTF-8 text. "
          "Of UTF-16: iconv -f UTF-16LE -t UTF-8 FILE | tunehub-agent explain -. "
          "Of stray NUL bytes: tr -d '\\000' < FILE | tunehub-agent explain -",
          place,
          std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(nul), '\n') + 1)};
}

}  // namespace tunehub::core
