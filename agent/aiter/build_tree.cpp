#include "agent/aiter/build_tree.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRocmVersion = "/opt/rocm/.info/version";

template <typename Visit>
void Walk(const fs::path& folder, Visit visit) {
  std::error_code error;
  fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    std::error_code ignored;
    // Hidden folders are somebody's own: what was built before, what is being built.
    if (it->path().filename().string().starts_with('.')) it.disable_recursion_pending();
    if (it->is_regular_file(ignored)) visit(it->path());
  }
}

std::string FirstLine(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
  return line;
}

// "__version__ = version = '0.1.14'", as setuptools writes it.
std::string PackageVersion(const fs::path& file) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("__version__") && !line.starts_with("version")) continue;
    const std::size_t begin = line.find_first_of("'\"");
    if (begin == std::string::npos) continue;
    const std::size_t end = line.find(line[begin], begin + 1);
    if (end != std::string::npos) return line.substr(begin + 1, end - begin - 1);
  }
  return "";
}

// Of a checkout whose branch lies loose or packed; "" where it cannot be told.
std::string Commit(const fs::path& git) {
  std::string head = FirstLine(git / "HEAD");
  constexpr std::string_view kReference = "ref: ";
  if (!head.starts_with(kReference)) return head;
  const std::string reference = head.substr(kReference.size());
  if (std::string commit = FirstLine(git / reference); !commit.empty()) return commit;
  std::ifstream packed(git / "packed-refs");
  for (std::string line; std::getline(packed, line);) {
    if (line.ends_with(" " + reference)) return line.substr(0, line.find(' '));
  }
  return "";
}

}  // namespace

BuildTree::BuildTree(const fs::path& folder) {
  fs::path base = fs::absolute(folder).lexically_normal();
  if (!base.has_filename()) base = base.parent_path();
  if (base.filename() == "configs") base = base.parent_path();
  std::error_code ignored;
  if (base.filename() == "aiter" && !fs::is_directory(base / "aiter", ignored)) {
    base = base.parent_path();
  }
  roots_ = {base, base / "aiter_meta"};
  for (const fs::path& root : roots_) {
    Walk(root / "aiter" / "jit", [&](const fs::path& file) {
      const std::string name = file.filename().string();
      if (name.starts_with("module_") && name.ends_with(".so")) libraries_.push_back(file);
      if (name.ends_with("_lookup.h")) headers_.push_back(file);
    });
    std::error_code error;
    for (const auto& gfx : fs::directory_iterator(root / "hsa", error)) {
      Walk(gfx.path(), [&](const fs::path& file) {
        if (file.extension() == ".co") code_objects_.emplace(gfx.path().filename().string(), file);
      });
    }
  }
  std::ranges::sort(libraries_);
  std::ranges::sort(headers_);
}

fs::path BuildTree::Find(const std::string& place) const {
  std::error_code error;
  for (const fs::path& root : roots_) {
    if (fs::exists(root / place, error)) return root / place;
  }
  return {};
}

std::map<std::string, std::string> BuildTree::Versions() const {
  std::map<std::string, std::string> versions;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) versions[name] = value;
  };
  add("aiter", PackageVersion(Find("aiter/_version.py")));
  if (const fs::path git = Find(".git"); !git.empty()) add("aiter-commit", Commit(git));
  add("rocm", FirstLine(fs::path(kRocmVersion)));
  return versions;
}

}  // namespace tunehub::agent
