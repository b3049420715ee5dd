#include "server/service/registry/build_name.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/base/excerpt.h"

namespace tunehub::service {
namespace {

constexpr std::size_t kDigestHex = 64;

bool IsNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

bool IsHex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

}  // namespace

core::Result<BuildName> ParseBuildName(std::string_view text) {
  const std::size_t at = text.find('@');
  BuildName build{std::string(text.substr(0, at)), ""};
  if (build.name.empty() || build.name.size() > kMaxBuildNameBytes ||
      !std::ranges::all_of(build.name, IsNameByte)) {
    return core::Error{
        "bad_build_name",
        fmt::format("build: '{}' is no name: 1 to {} of A-Z, a-z, 0-9, '.', '_' and '-'",
                    core::Excerpt(text), kMaxBuildNameBytes)};
  }
  if (at == std::string_view::npos) return build;
  build.sha256 = text.substr(at + 1);
  if (build.sha256.size() != kDigestHex || !std::ranges::all_of(build.sha256, IsHex)) {
    return core::Error{
        "bad_build_name",
        fmt::format("build: '{}' is not of the form NAME@SHA256 with 64 digits of 0-9 and a-f",
                    core::Excerpt(text))};
  }
  return build;
}

}  // namespace tunehub::service
