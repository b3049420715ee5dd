#include "core/cli/completion.h"

namespace tunehub::cli {

std::string FunctionName(const std::string& typed) {
  std::string name = typed;
  for (char& c : name) c = c == '-' || c == ' ' ? '_' : c;
  return name;
}

std::string Quoted(const std::string& text, const std::string& quote) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? quote : std::string(1, c);
  return quoted + "'";
}

}  // namespace tunehub::cli
