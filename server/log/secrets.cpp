#include "server/log/secrets.h"

#include <algorithm>
#include <string_view>

namespace tunehub::log {
namespace {

constexpr std::string_view kKey = "thub_";
constexpr std::size_t kHintTail = 4;
constexpr std::string_view kKeyCharacters = "abcdefghijklmnopqrstuvwxyz234567";
constexpr std::string_view kAuthority = "://";
// A quote does not: a password may have one.
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

// Where a value ends: at any of `ends` without a backslash before it. A message may hold a text
// that was escaped before, so that one backslash is two: rather too much is masked.
std::size_t EndOfValue(std::string_view view, std::size_t at, std::string_view ends) {
  do {
    at = view.find_first_of(ends, at + 1);
  } while (at != view.npos && view[at - 1] == '\\');
  return std::min(at, view.size());
}

// password=x, and libpq's other forms: blanks around the sign, quotes around the value.
void MaskPasswords(char* text, std::string_view view) {
  for (std::size_t at = 0; (at = view.find(kPassword, at)) != view.npos;) {
    at += kPassword.size();
    std::size_t value = std::min(view.find_first_not_of(kBlanks, at), view.size());
    if (value == view.size() || view[value] != '=') continue;
    value = std::min(view.find_first_not_of(kBlanks, value + 1), view.size());
    if (value == view.size()) return;
    // Without a quote before it, white space alone ends it.
    at = EndOfValue(view, value, view[value] == '\'' ? "'" : kBlanks);
    Mask(text, value, at);
  }
}

}  // namespace

void MaskSecrets(char* text, std::size_t size) {
  const std::string_view view(text, size);
  MaskKeys(text, view);
  MaskUrls(text, view);
  MaskPasswords(text, view);
}

}  // namespace tunehub::log
