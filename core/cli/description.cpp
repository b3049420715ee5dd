#include "core/cli/description.h"

namespace tunehub::cli {

std::string Description::headline() const {
  std::string text = summary.empty() ? about : summary;
  if (const auto dot = text.find(". "); dot != std::string::npos) text.resize(dot);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace tunehub::cli
