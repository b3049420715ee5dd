#include "server/service/tables/file_queries.h"

namespace tunehub::service {
namespace {

// More than the files of all engines; who asks for other names all the time finds none of them
// kept.
constexpr std::size_t kMostQueries = 4096;
// A longer request is parsed each time.
constexpr std::size_t kMostKeyBytes = 1024;

std::string KeyOf(char kind, std::string_view reader, std::string_view path,
                  const Parameters& parameters) {
  std::string key(1, kind);
  key.append(reader).append("\x1f").append(path);
  for (const auto& [name, value] : parameters) {
    key.append("\x1f").append(name).append("\x1e").append(value);
  }
  return key;
}

}  // namespace

std::shared_ptr<const FileQuery> FileQueries::Find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = queries_.find(key);
  return found == queries_.end() ? nullptr : found->second;
}

FileQueries::Parsed FileQueries::Keep(std::string key, core::Result<FileQuery> query) {
  if (!query.ok()) return query.error();
  auto shared = std::make_shared<const FileQuery>(*std::move(query));
  if (key.size() > kMostKeyBytes) return shared;
  const std::lock_guard lock(mutex_);
  if (queries_.size() >= kMostQueries) queries_.clear();
  queries_.emplace(std::move(key), shared);
  return shared;
}

FileQueries::Parsed FileQueries::File(std::string_view reader, std::string_view path,
                                      const Parameters& parameters) {
  std::string key = KeyOf('f', reader, path, parameters);
  if (auto found = Find(key)) return found;
  return Keep(std::move(key), ParseFileQuery(definitions_, reader, path, parameters));
}

FileQueries::Parsed FileQueries::Tree(std::string_view reader, const Parameters& parameters) {
  std::string key = KeyOf('t', reader, "", parameters);
  if (auto found = Find(key)) return found;
  return Keep(std::move(key), ParseTreeQuery(definitions_, reader, parameters));
}

}  // namespace tunehub::service
