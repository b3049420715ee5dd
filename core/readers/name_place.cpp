#include <algorithm>
#include <vector>

#include "core/base/split.h"
#include "core/readers/file_name.h"

namespace tunehub::core {
namespace {

// The form as one text: "triton_{triton:version}/E={E},N=...".
std::string TextOf(const NameForm& form) {
  std::string text;
  for (const NamePart& part : form.parts) {
    if (!part.optional) text += part.text;
  }
  return text;
}

// Whether a folder or file may be what stands so in a form: by its beginning, or whole.
bool Begins(std::string_view name, std::string_view pattern) {
  const std::size_t place = pattern.find('{');
  return place == std::string_view::npos ? name == pattern
                                         : name.starts_with(pattern.substr(0, place));
}

bool Fits(const std::vector<std::string_view>& path, const std::vector<std::string_view>& form,
          bool anchored) {
  if (!anchored) return Begins(path.back(), form.back());
  return path.size() == form.size() && std::equal(path.begin(), path.end(), form.begin(), Begins);
}

}  // namespace

bool IsOf(const ReaderStore& store, std::string_view path, std::string& tail) {
  const std::vector<std::string_view> names = SplitAt(path, "/");
  for (const NameForm& form : store.names) {
    const std::string text = TextOf(form);
    const std::vector<std::string_view> wanted = SplitAt(text, "/");
    if (!Fits(names, wanted, store.anchored)) continue;
    const std::size_t count = std::min(wanted.size(), names.size());
    tail.clear();
    for (std::size_t i = names.size() - count; i < names.size(); ++i) {
      tail += (tail.empty() && i + count == names.size() ? "" : "/") + std::string(names[i]);
    }
    return true;
  }
  return false;
}

}  // namespace tunehub::core
