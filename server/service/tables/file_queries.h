// Requests for files and trees, parsed once: a name goes through a reader's grammar and the
// devices' names, which takes longer than sending the file.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/base/result.h"
#include "server/service/tables/file_query.h"

namespace tunehub::service {

class FileQueries {
 public:
  using Parsed = core::Result<std::shared_ptr<const FileQuery>>;

  // `definitions` outlives it, and does not change.
  explicit FileQueries(const Definitions& definitions) : definitions_(definitions) {}

  // As ParseFileQuery and ParseTreeQuery. From any thread.
  Parsed File(std::string_view reader, std::string_view path, const Parameters& parameters);
  Parsed Tree(std::string_view reader, const Parameters& parameters);

 private:
  std::shared_ptr<const FileQuery> Find(const std::string& key);
  Parsed Keep(std::string key, core::Result<FileQuery> query);

  const Definitions& definitions_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const FileQuery>> queries_;
};

}  // namespace tunehub::service
