#include "core/base/text_search.h"

#include <algorithm>

#include "core/base/ascii.h"

namespace tunehub::core {

TextSearch::TextSearch(std::string_view text) : lower_(Lower(text)) {}

bool TextSearch::Finds(std::string_view in) const {
  return std::search(in.begin(), in.end(), lower_.begin(), lower_.end(),
                     [](char a, char b) { return Lower(a) == b; }) != in.end();
}

}  // namespace tunehub::core
