#include "agent/aiter/lookup_header.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <system_error>

#include "core/system/file_bytes.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

bool IsWordByte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':';
}

// One line, without what separates a macro's lines and without comments.
std::string Joined(std::string_view header) {
  std::string text;
  for (std::size_t at = 0; at < header.size(); ++at) {
    if (header.substr(at, 2) == "/*") {
      at = std::min(header.find("*/", at + 2), header.size() - 2) + 1;
    } else if (header.substr(at, 2) == "//") {
      at = std::min(header.find('\n', at), header.size()) - 1;
    } else if (header[at] != '\\' && std::isspace(static_cast<unsigned char>(header[at])) == 0) {
      text.push_back(header[at]);
    }
  }
  return text;
}

// What stands before the comma before a function: {"gfx942",304,16,1280,8192} or "name"; "" where
// it is none of a row.
std::string KeyBefore(std::string_view text) {
  if (!text.ends_with(',')) return {};
  text.remove_suffix(1);
  const char open = text.ends_with('}') ? '{' : text.ends_with('"') ? '"' : '\0';
  if (open == '\0') return {};
  text.remove_suffix(1);
  const std::size_t begin = text.rfind(open);
  if (begin == std::string_view::npos || begin == 0 || text[begin - 1] != '{') return {};
  return std::string(text.substr(begin + 1));
}

void Keep(std::vector<std::string>& list, std::size_t& count, std::string text) {
  if (++count <= kMostKeys) list.push_back(std::move(text));
}

}  // namespace

LookupRows ReadLookupHeader(std::string_view header) {
  LookupRows rows;
  const std::string joined = Joined(header);
  const std::string_view text = joined;
  for (std::size_t end = text.find('<'); end != std::string_view::npos;
       end = text.find('<', end + 1)) {
    std::size_t begin = end;
    while (begin > 0 && IsWordByte(text[begin - 1])) --begin;
    std::string key = KeyBefore(text.substr(0, begin));
    if (begin < end && !key.empty()) rows[std::move(key)] = text.substr(begin, end - begin);
  }
  return rows;
}

LookupRows ReadLookupHeaders(const fs::path& folder) {
  LookupRows rows;
  std::error_code error;
  fs::recursive_directory_iterator it(folder, error);
  for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    if (!it->path().filename().string().ends_with("_lookup.h")) continue;
    const auto bytes = core::FileBytes::Read(it->path());
    if (bytes.ok()) rows.merge(ReadLookupHeader(bytes->view()));
  }
  return rows;
}

LookupChange CompareLookups(const LookupRows& before, const LookupRows& after) {
  LookupChange change;
  change.rows = after.size();
  for (const auto& [key, kernel] : after) {
    const auto old = before.find(key);
    if (old == before.end()) {
      Keep(change.added, change.rows_added, key);
    } else if (old->second != kernel) {
      Keep(change.changed, change.rows_changed,
           fmt::format("{}: {} -> {}", key, old->second, kernel));
    }
  }
  for (const auto& [key, kernel] : before) {
    if (!after.contains(key)) Keep(change.removed, change.rows_removed, key);
  }
  return change;
}

std::string Summary(const LookupChange& change) {
  return fmt::format("{} rows added, {} removed, {} with another kernel, {} now", change.rows_added,
                     change.rows_removed, change.rows_changed, change.rows);
}

}  // namespace tunehub::agent
