#include "server/http/target.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/base/encoding.h"
#include "core/base/text.h"

namespace tunehub::http {
namespace {

enum class Part { kPath, kQuery };

core::Error Malformed(std::string_view what, std::size_t position) {
  return {"bad_target", fmt::format("{} at byte {} of the request target", what, position)};
}

// No parameter needs a control character, and a text with one could look like two joined texts.
// `decoded`: the text before the character. The error contains this text if the parameter's name is
// incomplete.
core::Error HasControl(std::string_view parameter, std::string_view decoded, Part part,
                       std::size_t position) {
  if (part == Part::kPath) return Malformed("control character", position);
  const std::string name = parameter.empty() ? fmt::format("the name '{}'", core::Excerpt(decoded))
                                             : std::string(core::Excerpt(parameter));
  return {"bad_parameter", Malformed(name + ": a control character", position).detail};
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = core::Utf8Length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

// `offset`: where `text` starts in the target, for the error's position. `place`: the parameter's
// name, "" in the path.
core::Result<std::string> Decode(std::string_view text, std::size_t offset, Part part,
                                 std::string_view place = {}) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      const bool whole = i + 2 < text.size();
      const int high = whole ? core::HexDigit(core::Lower(text[i + 1])) : -1;
      const int low = whole ? core::HexDigit(core::Lower(text[i + 2])) : -1;
      if (high < 0 || low < 0) return Malformed("malformed percent escape", offset + i);
      c = static_cast<char>(high * 16 + low);
    } else if (c == '+' && part == Part::kQuery) {
      c = ' ';
    }
    if (core::IsControl(c)) return HasControl(place, decoded, part, offset + i);
    if (text[i] == '%') i += 2;
    decoded += c;
  }
  if (!IsUtf8(decoded)) return Malformed("text that is not UTF-8 in the part", offset);
  return decoded;
}

core::Result<Fields> DecodeQuery(std::string_view text, std::size_t offset) {
  Fields query;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('&', start), text.size());
    const std::string_view pair = text.substr(start, end - start);
    const std::size_t equals = std::min(pair.find('='), pair.size());
    auto name = Decode(pair.substr(0, equals), offset + start, Part::kQuery);
    if (!name) return name.error();
    const std::size_t value_at = std::min(equals + 1, pair.size());
    auto value = Decode(pair.substr(value_at), offset + start + value_at, Part::kQuery, *name);
    if (!value) return value.error();
    if (!pair.empty()) query.emplace_back(*std::move(name), *std::move(value));
    start = end + 1;
  }
  return query;
}

// Returns the start of the path. In the absolute form, which servers must accept, the path follows
// "http://host".
std::size_t PathStart(std::string_view raw) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (raw.starts_with(scheme))
      return std::min(raw.find_first_of("/?", scheme.size()), raw.size());
  }
  return 0;
}

}  // namespace

core::Result<RequestTarget> ParseTarget(std::string_view raw) {
  if (const auto hash = raw.find('#'); hash != raw.npos) return Malformed("fragment", hash);
  const std::size_t start = PathStart(raw);
  const std::size_t question = std::min(raw.find('?', start), raw.size());
  RequestTarget target;
  if (start > 0) {
    const std::size_t host = raw.find("//") + 2;
    target.authority = raw.substr(host, start - host);
  }
  if (start > 0 && start == question) {
    target.path = "/";
  } else {
    auto path = Decode(raw.substr(start, question - start), start, Part::kPath);
    if (!path) return path.error();
    target.path = *std::move(path);
  }
  if (!target.path.starts_with('/')) return Malformed("no path that starts with '/'", start);
  if (question < raw.size()) {
    auto query = DecodeQuery(raw.substr(question + 1), question + 1);
    if (!query) return query.error();
    target.query = *std::move(query);
  }
  return target;
}

}  // namespace tunehub::http
