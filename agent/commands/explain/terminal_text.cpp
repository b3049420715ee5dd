#include "agent/commands/explain/terminal_text.h"

#include <fmt/core.h>

#include <ostream>
#include <vector>

namespace tunehub::agent {
namespace {

// Words between blanks; with `quotes` a blank between these is part of its word.
std::vector<std::string> WordsOf(std::string_view text, bool quotes) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (const char c : text) {
    if (quotes && c == '\'') quoted = !quoted;
    if (c == ' ' && !quoted) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

}  // namespace

void PrintWrapped(std::ostream& out, std::string_view indent, std::string_view text) {
  std::string line;
  for (const std::string& word : WordsOf(text, false)) {
    if (!line.empty() && indent.size() + line.size() + 1 + word.size() > kTextColumns) {
      out << indent << line << '\n';
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  out << indent << line << '\n';
}

void PrintCommand(std::ostream& out, std::string_view line) {
  const std::vector<std::string> words = WordsOf(line, true);
  std::string text = "  " + words.front();
  for (std::size_t i = 1; i < words.size(); ++i) {
    std::string part = words[i];
    const bool option = part.starts_with('-') && i + 1 < words.size();
    if (option && !words[i + 1].starts_with('-')) part += " " + words[++i];
    if (i > 1 && text.size() + part.size() + 3 > kTextColumns) {
      out << text << " \\\n";
      text = "      " + part;
    } else {
      text += " " + part;
    }
  }
  out << text << '\n';
}

std::string Counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace tunehub::agent
