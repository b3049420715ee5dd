// Where an AITER checkout or an installed package keeps what tells of its kernels.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tunehub::agent {

class BuildTree {
 public:
  // `folder`: a checkout, a folder of packages that holds aiter/ and aiter_meta/, its aiter/, or
  // its aiter/configs.
  explicit BuildTree(const std::filesystem::path& folder);

  // A file or folder by its place in a checkout ("csrc/..."); empty: not there.
  std::filesystem::path Find(const std::string& place) const;
  // Below aiter/jit: module_*.so and *_lookup.h.
  const std::vector<std::filesystem::path>& libraries() const { return libraries_; }
  const std::vector<std::filesystem::path>& headers() const { return headers_; }
  // hsa/<gfx>/**/*.co, by gfx.
  const std::multimap<std::string, std::filesystem::path>& code_objects() const {
    return code_objects_;
  }
  // What can be read of them: aiter (its version), aiter-commit, rocm (of this host).
  std::map<std::string, std::string> Versions() const;

 private:
  std::vector<std::filesystem::path> roots_;
  std::vector<std::filesystem::path> libraries_, headers_;  // sorted
  std::multimap<std::string, std::filesystem::path> code_objects_;
};

}  // namespace tunehub::agent
