#include "server/log/line_formatter.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/rfc3339.h"

namespace tunehub::log {

namespace {

constexpr std::string_view kKey = "thub_";
constexpr std::size_t kHintTail = 4;
constexpr std::string_view kKeyCharacters = "abcdefghijklmnopqrstuvwxyz234567";
constexpr std::string_view kAuthority = "://";
// The set contains no quotation mark, because a password may contain one.
constexpr std::string_view kEndsAuthority = "/ \t\n\r\f\v";
constexpr std::string_view kPassword = "password";
constexpr std::string_view kBlanks = " \t\n\r\f\v";

void Mask(char* text, std::size_t begin, std::size_t end) {
  std::fill(text + begin, text + end, '*');
}

void MaskKeys(char* text, std::string_view view) {
  for (std::size_t at = 0; (at = view.find(kKey, at)) != view.npos;) {
    at += kKey.size();
    const std::size_t end = std::min(view.find_first_not_of(kKeyCharacters, at), view.size());
    if (end - at > kHintTail) Mask(text, at + kHintTail, end);
    at = end;
  }
}

void MaskUrls(char* text, std::string_view view) {
  for (std::size_t at = 0; (at = view.find(kAuthority, at)) != view.npos;) {
    at += kAuthority.size();
    const std::size_t stop = std::min(view.find_first_of(kEndsAuthority, at), view.size());
    const std::string_view authority = view.substr(at, stop - at);
    const std::size_t colon = authority.find(':'), host = authority.rfind('@');
    if (host != authority.npos && colon < host) Mask(text, at + colon + 1, at + host);
  }
}

// Returns the end of a value: the first character of `ends` without a backslash before it. An
// escaped text has two backslashes instead of one. So the log may mask too much, but not too
// little.
std::size_t EndOfValue(std::string_view view, std::size_t at, std::string_view ends) {
  do {
    at = view.find_first_of(ends, at + 1);
  } while (at != view.npos && view[at - 1] == '\\');
  return std::min(at, view.size());
}

// Masks password=x, and libpq's other forms: blanks around the sign, quotes around the value.
void MaskPasswords(char* text, std::string_view view) {
  for (std::size_t at = 0; (at = view.find(kPassword, at)) != view.npos;) {
    at += kPassword.size();
    std::size_t value = std::min(view.find_first_not_of(kBlanks, at), view.size());
    if (value == view.size() || view[value] != '=') continue;
    value = std::min(view.find_first_not_of(kBlanks, value + 1), view.size());
    if (value == view.size()) return;
    // Without an opening quote, only white space ends the value.
    at = EndOfValue(view, value, view[value] == '\'' ? "'" : kBlanks);
    Mask(text, value, at);
  }
}

// The text as a JSON string, even if the text is not UTF-8.
std::string Quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Masks one text of a line, before the text is quoted. The log does not mask a whole line.
// Otherwise a client's text that looks like the start of a secret would hide the rest of the line.
std::string Masked(std::string_view text) {
  std::string masked(text);
  MaskSecrets(masked.data(), masked.size());
  return masked;
}

bool IsPlain(std::string_view text) {
  return std::ranges::all_of(text,
                             [](char c) { return c > ' ' && c != '"' && c != '=' && c != 127; });
}

struct NumberValue {
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(double number) const { return fmt::format("{:.3f}", number); }
};
struct JsonValue : NumberValue {
  using NumberValue::operator();
  std::string operator()(std::string_view text) const { return Quoted(Masked(text)); }
};
struct TextValue : NumberValue {
  using NumberValue::operator();
  std::string operator()(std::string_view text) const {
    const std::string masked = Masked(text);
    return IsPlain(masked) ? masked : Quoted(masked);
  }
};

bool IsEmpty(const Field& field) {
  const auto* const text = std::get_if<std::string_view>(&field.value);
  return text != nullptr && text->empty();
}

void Append(spdlog::memory_buf_t& out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}

// A line feed in a text from a client or the database must not start a new line.
void KeepToOneLine(spdlog::memory_buf_t& out, std::size_t from) {
  std::replace_if(
      out.begin() + from, out.end(), [](char c) { return c >= 0 && c < ' ' && c != '\t'; }, ' ');
}

}  // namespace

void MaskSecrets(char* text, std::size_t size) {
  const std::string_view view(text, size);
  MaskKeys(text, view);
  MaskUrls(text, view);
  MaskPasswords(text, view);
}

std::string Payload(Format format, std::string_view message, const LineFields& fields) {
  std::string text;
  if (format == Format::kText) text = Masked(message);
  if (format == Format::kJson && !message.empty()) text = ",\"message\":" + JsonValue()(message);
  for (const Field& field : fields) {
    if (IsEmpty(field)) continue;
    if (format == Format::kJson) {
      text += fmt::format(",{}:{}", Quoted(field.name), std::visit(JsonValue(), field.value));
    } else {
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", field.name,
                          std::visit(TextValue(), field.value));
    }
  }
  return text;
}

void LineFormatter::format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) {
  const std::size_t begin = out.size();
  const std::string_view kind(message.logger_name.data(), message.logger_name.size());
  const std::string_view payload(message.payload.data(), message.payload.size());
  if (format_ == Format::kText) {
    spdlog::details::log_msg masked(message);
    const std::string text = kind == kProcess ? Masked(payload) : std::string(payload);
    masked.payload = {text.data(), text.size()};
    text_.format(masked, out);
    message.color_range_start = masked.color_range_start;
    message.color_range_end = masked.color_range_end;
    out.resize(out.size() - 1);  // drops the line feed of `text_`
  } else {
    const auto level = spdlog::level::to_string_view(message.level);
    Append(out, fmt::format(R"({{"at":"{}","level":"{}","kind":"{}")", core::UtcText(message.time),
                            std::string_view(level.data(), level.size()),
                            kind == kProcess ? "server" : kind));
    Append(out, kind == kProcess ? Payload(format_, payload, {}) : std::string(payload));
    Append(out, "}");
  }
  KeepToOneLine(out, begin);
  out.push_back('\n');
}

std::unique_ptr<spdlog::formatter> LineFormatter::clone() const {
  return std::make_unique<LineFormatter>(format_);
}

}  // namespace tunehub::log
