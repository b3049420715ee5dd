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
inline constexpr std::size_t kQuotedNameBytes = 200;    // of a file's name, in an error

class SummedArchive {
 public:
  // Errors: bad_archive (unreadable, beyond these limits, a name that leaves the folder or comes
  // twice), bad_bundle (SHA256SUMS has another form).
  static core::Result<SummedArchive> Read(std::string_view tar_gz);

  // All files, by their names below `folder` ("aiter/configs/"); once. Errors: bad_bundle (a file
  // that SHA256SUMS does not confirm, one that it alone has, one that lies elsewhere or has another
  // ending).
  core::Result<std::map<std::string, std::string>> Take(std::string_view folder,
                                                        std::string_view ending = "");

  // "": there is none.
  std::string Text(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> entries_;
  std::map<std::string, std::string> sums_;
};

// What GET /bundle gives: tuned tables laid out as aiter/configs, each with its SHA-256.
struct Bundle {
  std::map<std::string, std::string> tables;  // by name inside aiter/configs
};

// Errors: those of SummedArchive.
inline core::Result<Bundle> ParseBundle(std::string_view tar_gz) {
  auto archive = SummedArchive::Read(tar_gz);
  if (!archive.ok()) return archive.error();
  auto tables = archive->Take("aiter/configs/", ".csv");
  if (!tables.ok()) return tables.error();
  return Bundle{*std::move(tables)};
}

}  // namespace tunehub::agent
