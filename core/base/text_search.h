// Finds a text in others, whatever the case of its ASCII letters.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "core/base/ascii.h"

namespace tunehub::core {

class TextSearch {
 public:
  explicit TextSearch(std::string_view text) : lower_(Lower(text)) {}

  // Also of nothing: every text holds it.
  bool Finds(std::string_view in) const {
    return std::search(in.begin(), in.end(), lower_.begin(), lower_.end(),
                       [](char a, char b) { return Lower(a) == b; }) != in.end();
  }

 private:
  std::string lower_;
};

}  // namespace tunehub::core
