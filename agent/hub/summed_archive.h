// A tar.gz of the hub's with SHA256SUMS in it: read into memory, each file confirmed by its sum.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tunehub::agent {

inline constexpr std::size_t kMaxBundleBytes = std::size_t{1} << 30;  // unpacked
inline constexpr std::size_t kMaxBundleFiles = 10'000;  // SGLang's tree has 500, a bundle fewer

class SummedArchive {
 public:
  // Errors: bad_archive (unreadable, beyond these limits, a name that leaves the folder).
  static core::Result<SummedArchive> Read(std::string_view tar_gz);

  // All that lies below `folder` ("aiter/configs/") and has this ending, by its name inside it.
  // Errors: bad_bundle (a file that SHA256SUMS does not confirm).
  core::Result<std::map<std::string, std::string>> Take(std::string_view folder,
                                                        std::string_view ending = "");

  // "": there is none.
  std::string Text(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> entries_;
  std::map<std::string, std::string> sums_;
};

}  // namespace tunehub::agent
