// Where the tuned table comes from: a hub, or a file.
#pragma once

#include <string>

#include "core/base/result.h"

namespace tunehub::example {

// A file that is removed with its object, unless it was there before.
class TableFile {
 public:
  TableFile(std::string path, bool owned) : path_(std::move(path)), owned_(owned) {}
  ~TableFile();
  TableFile(TableFile&& other) noexcept
      : path_(std::move(other.path_)), owned_(std::exchange(other.owned_, false)) {}
  TableFile(const TableFile&) = delete;
  TableFile& operator=(const TableFile&) = delete;
  TableFile& operator=(TableFile&&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool owned_;
};

// `source` http(s)://...: what GET /tuned/FAMILY?gfx= answers, by the program curl; else the file
// itself. Errors: not_fetched, with what curl or the hub said.
core::Result<TableFile> Fetch(const std::string& source, const std::string& family,
                              const std::string& gfx);

}  // namespace tunehub::example
