#include "server/log/secrets.h"

#include <algorithm>
#include <string_view>

namespace tunehub::log {
namespace {

constexpr std::string_view kKey = "thub_";
constexpr std::size_t kHintTail = 4;
constexpr std::string_view kKeyCharacters = "abcdefghijklmnopqrstuvwxyz234567";
constexpr std::string_view kAuthority = "://";
constexpr std::string_view kEndsAuthority = "/ \"'\t";
constexpr std::string_view kPassword = "password=";

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

// A password with a quote around it ends at the next one.
void MaskPasswords(char* text, std::string_view view) {
  for (std::size_t at = 0; (at = view.find(kPassword, at)) != view.npos;) {
    at += kPassword.size();
    const bool quoted = at < view.size() && view[at] == '\'';
    const std::size_t end =
        std::min(quoted ? view.find('\'', at + 1) : view.find_first_of(" \"'\t&", at), view.size());
    Mask(text, at, end);
    at = end;
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
