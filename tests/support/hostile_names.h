// File names that are not allowed below a folder. A lying hub or a crafted archive may send them.
#pragma once

#include <string>
#include <vector>

namespace tunehub::test {

inline const std::vector<std::string>& HostileNames() {
  static const std::vector<std::string> kNames = {
      "/a",           "//a",       "///a",        "/etc/passwd", "//tmp/a.json", "a//b",
      "a///b",        "a/",        "a//",         "/",           "//",           ".",
      "..",           "./a",       "../a",        "a/.",         "a/..",         "a/./b",
      "a/../b",       "a/../../b", "../../a",     "./../a",      ".././a",       "a/b/..",
      "a/b/../../..", "././a",     "./.",         "../..",       "..//a",        "a\\b",
      "..\\a",        "C:\\a",     "\\\\host\\a", "a/..\\b",     "a\nb",         "a/\nb",
      "a\rb",         "a\tb",      "\x1B[2Ja",    "a\x7F",       "a/\x01/b",     "../a\n",
      "a//../../b"};
  return kNames;
}

// Omits names that end with a slash, because readers of archives skip these as folders.
inline std::vector<std::string> HostileFileNames() {
  std::vector<std::string> names = HostileNames();
  std::erase_if(names, [](const std::string& name) { return name.ends_with('/'); });
  return names;
}

}  // namespace tunehub::test
