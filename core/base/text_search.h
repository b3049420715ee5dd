// Finds a text in others, whatever the case of its ASCII letters.
#pragma once

#include <string>
#include <string_view>

namespace tunehub::core {

class TextSearch {
 public:
  explicit TextSearch(std::string_view text);

  // Also of nothing: every text holds it.
  bool Finds(std::string_view in) const;

 private:
  std::string lower_;
};

}  // namespace tunehub::core
