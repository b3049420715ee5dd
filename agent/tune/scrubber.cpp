#include "agent/tune/scrubber.h"

#include <arpa/inet.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "core/base/text.h"

namespace tunehub::agent {
namespace {

// A shorter text would also match parts of a report that name nobody.
constexpr std::size_t kLeastName = 3;
// Values that name nobody.
constexpr std::string_view kEveryHost[] = {"root",  "/root", "tunehub", "localhost", "true",
                                           "false", "null",  "json",    "text"};
// Folders of programs name nobody.
constexpr std::string_view kProgramFolders[] = {"/opt/", "/usr/"};
// The next folder below these has a user's name.
constexpr std::string_view kHomes[] = {"/home/", "/Users/"};
// Variables with these parts in their names may name somebody, or be secret.
constexpr std::string_view kNaming[] = {"HOME",       "USER",   "LOGNAME", "HOST",  "MAIL",
                                        "PWD",        "SSH",    "KEY",     "TOKEN", "PASS",
                                        "CREDENTIAL", "SECRET", "AUTH",    "HUB",   "PROXY"};

bool IsLetter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool IsOfWord(char c) {
  return IsLetter(c) || std::string_view("-.:@").find(c) != std::string_view::npos;
}

// Replaces `name` where no letter or digit continues it.
void Replace(std::string& text, const std::string& name, const std::string& by) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
    const std::size_t end = at + name.size();
    const bool begun = at > 0 && IsLetter(text[at - 1]) && IsLetter(name.front());
    const bool goes_on = end < text.size() && IsLetter(text[end]) && IsLetter(name.back());
    if (!begun && !goes_on) text.replace(at, name.size(), by);
    at += begun || goes_on ? name.size() : by.size();
  }
}

bool IsAddress(std::string_view word) {
  while (!word.empty() && (word.back() == '.' || word.back() == ':')) word.remove_suffix(1);
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  const auto parses = [&](int kind, std::string_view text) {
    return ::inet_pton(kind, std::string(text).c_str(), bytes.data()) == 1;
  };
  return word.size() > 2 &&  // "::" is a part of a C++ name
         (parses(AF_INET, word.substr(0, word.find(':'))) || parses(AF_INET6, word));
}

// True for one of the parts that ':' and '-' separate, as in tcp:10.0.0.5:29500.
bool HasIpv4(std::string_view word) {
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t end = std::min(word.find_first_of(":-", at), word.size());
    const std::string_view part = word.substr(at, end - at);
    if (std::ranges::count(part, '.') == 3 && IsAddress(part)) return true;
    at = end + 1;
  }
  return false;
}

void ReplaceHomes(std::string& text) {
  for (const std::string_view home : kHomes) {
    for (auto at = text.find(home); at != std::string::npos; at = text.find(home, at)) {
      at += home.size();
      const std::size_t end = std::min(text.find_first_of("/ \t\r\n\"':,;)", at), text.size());
      if (end > at) text.replace(at, end - at, "[user]");
    }
  }
}

std::string CleanWord(std::string_view word, bool of_url) {
  if (word.find("thub_") != std::string_view::npos) return "[key]";
  const std::size_t at = word.find('@');
  if (at != std::string_view::npos && at > 0 && at + 1 < word.size()) return "[user]";
  return of_url || IsAddress(word) || HasIpv4(word) ? "[address]" : std::string(word);
}

}  // namespace

Scrubber::Scrubber(std::vector<std::pair<std::string, std::string>> names)
    : names_(std::move(names)) {
  std::erase_if(names_, [](const auto& it) {
    return it.first.size() < kLeastName || std::ranges::count(kEveryHost, it.first) > 0 ||
           std::ranges::any_of(kProgramFolders,
                               [&](std::string_view top) { return it.first.starts_with(top); });
  });
  std::ranges::stable_sort(
      names_, [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
}

Scrubber Scrubber::OfThisHost() {
  std::array<char, 256> host{};
  (void)::gethostname(host.data(), host.size() - 1);
  const std::string name = host.data();
  std::vector<std::pair<std::string, std::string>> names = {
      {name, "[host]"}, {name.substr(0, name.find('.')), "[host]"}};
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the command has one thread
  if (const passwd* const user = ::getpwuid(::getuid()); user != nullptr) {
    names.emplace_back(user->pw_name, "[user]");
    names.emplace_back(user->pw_dir, "[home]");
  }
  for (char** it = ::environ; it != nullptr && *it != nullptr; ++it) {
    const std::string variable = *it;
    const std::size_t equals = std::min(variable.find('='), variable.size() - 1);
    const std::string upper = core::Upper(variable.substr(0, equals));
    const bool names_somebody = std::ranges::any_of(
        kNaming, [&](std::string_view part) { return upper.find(part) != std::string::npos; });
    if (names_somebody) names.emplace_back(variable.substr(equals + 1), "[removed]");
  }
  return Scrubber(std::move(names));
}

std::string Scrubber::Clean(std::string_view text) const {
  std::string named(text), clean;
  for (const auto& [name, by] : names_) Replace(named, name, by);
  ReplaceHomes(named);
  for (auto at = named.begin(); at != named.end();) {
    const auto end = std::find_if_not(at, named.end(), IsOfWord);
    if (at != end) clean += CleanWord({at, end}, clean.ends_with("://"));
    at = end;
    if (at != named.end()) clean += *at++;
  }
  return clean;
}

}  // namespace tunehub::agent
