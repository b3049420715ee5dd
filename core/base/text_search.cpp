#include "core/base/text_search.h"

#include <algorithm>

namespace tunehub::service {
namespace {

char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

}  // namespace

TextSearch::TextSearch(std::string_view text) : lower_(text) {
  std::transform(lower_.begin(), lower_.end(), lower_.begin(), Lower);
}

bool TextSearch::Finds(std::string_view in) const {
  return std::search(in.begin(), in.end(), lower_.begin(), lower_.end(),
                     [](char a, char b) { return Lower(a) == b; }) != in.end();
}

}  // namespace tunehub::service
