#include "agent/hub/lock_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/read_json.h"
#include "core/base/signature.h"
#include "core/base/text.h"

namespace tunehub::agent {
namespace {

// Errors: bad_lock. Throws nlohmann's exceptions if a member is missing or of another type.
core::Result<core::Pin> RevisionIn(const nlohmann::json& table) {
  const nlohmann::json& number = table.at("revision");
  const bool fits = number.is_number_integer() &&
                    (!number.is_number_unsigned() ||
                     number.get<std::uint64_t>() <= std::numeric_limits<std::int64_t>::max());
  if (!fits) {
    return core::Error{"bad_lock", fmt::format("`revision` is {}; expected an integer from 1",
                                               core::Excerpt(number.dump(), 40))};
  }
  core::Pin pin{number.get<std::int64_t>(), table.at("token").get<std::string>()};
  const auto valid = core::ParsePin(pin.Text());
  if (pin.has_token() && valid && *valid == pin) return pin;
  return core::Error{
      "bad_lock",
      fmt::format("{}: expected a revision and its token, such as 17-0f3a...", pin.Text())};
}

core::Error NoLockFile(const std::filesystem::path& path, bool empty) {
  return {
      "bad_lock",
      fmt::format("{}: {}. Restore it, or delete it: the next pull then pins the newest revision",
                  path.string(),
                  empty ? "the lock file is empty" : "is not a lock file; expected a JSON object")};
}

}  // namespace

core::Result<LockFile> LockFile::Load(const std::filesystem::path& path) {
  auto bytes = core::FileBytes::Read(path);
  if (!bytes.ok() && bytes.error().code == "file_not_found") return LockFile{};
  if (!bytes.ok()) return bytes.error();
  LockFile lock;
  const auto json = core::ReadJson(bytes->view());
  if (!json.is_object()) return NoLockFile(path, bytes->view().empty());
  try {
    if (json.contains("hub")) lock.hub = json.at("hub").get<std::string>();  // absent in a bundle
    if (json.contains("key")) {
      lock.key = json.at("key").get<std::string>();
      const auto key = core::ParsePublicKey(lock.key);
      if (!key.ok()) return core::Error{"bad_lock", key.error().In(path.string()).detail};
    }
    for (const auto& table : json.at("tables")) {
      const bool tree = table.contains("reader");
      const auto name = table.at(tree ? "reader" : "family").get<std::string>();
      const auto revision = RevisionIn(table);
      if (!revision.ok()) {
        return core::Error{"bad_lock", fmt::format("{}: {} (in the entry for {})", path.string(),
                                                   revision.error().detail, name)};
      }
      lock.tables.push_back(
          {tree ? "" : name, tree ? name : "", table.at("query").get<std::string>(), *revision,
           table.at("sha256").get<std::string>(), table.at("file").get<std::string>(),
           table.value("channel", ""),
           table.contains("sequence") ? core::SureInteger(table.at("sequence"), 1) : 0});
    }
  } catch (const nlohmann::json::exception& error) {
    return core::Error{"bad_lock", path.string() + ": " + error.what()};
  }
  return lock;
}

core::Status LockFile::Save(const std::filesystem::path& path) const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const LockedTable& table : tables) {
    const bool tree = !table.reader.empty();
    list.push_back({{tree ? "reader" : "family", tree ? table.reader : table.family},
                    {"query", table.query},
                    {"revision", table.revision.number},
                    {"token", table.revision.token},
                    {"sha256", table.sha256},
                    {"file", table.file}});
    if (table.channel.empty()) continue;
    list.back()["channel"] = table.channel;
    list.back()["sequence"] = table.sequence;
  }
  nlohmann::ordered_json json = {{"hub", hub}};
  if (!key.empty()) json["key"] = key;
  json["tables"] = std::move(list);
  return core::WriteAtomically(path, json.dump(2) + "\n");
}

core::Status LockFile::Add(const std::filesystem::path& path, const std::string& hub,
                           const std::string& key, LockedTable table) {
  // Locks the folder, not the file, since every writer replaces the file.
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const core::Fd held(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!held.ok()) return core::Unwritable(path, errno);
  while (::flock(held.get(), LOCK_EX) != 0) {
    if (errno != EINTR) return core::Unwritable(path, errno);
  }
  auto lock = Load(path);
  if (!lock.ok()) return lock.error();
  lock->hub = hub;
  if (!key.empty()) lock->key = key;
  const LockedTable* const same = lock->Find(table.family, table.reader, table.query);
  if (same == nullptr) {
    lock->tables.push_back(std::move(table));
  } else {
    lock->tables[static_cast<std::size_t>(same - lock->tables.data())] = std::move(table);
  }
  return lock->Save(path);
}

const LockedTable* LockFile::Find(std::string_view family, std::string_view reader,
                                  std::string_view query) const {
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const LockedTable& table) {
    return table.family == family && table.reader == reader && table.query == query;
  });
  return found == tables.end() ? nullptr : &*found;
}

core::Pin LockFile::Newest() const {
  core::Pin newest{-1, ""};
  for (const LockedTable& table : tables) {
    // A channel may name an older revision.
    if (table.channel.empty() && table.revision.number > newest.number) newest = table.revision;
  }
  return newest;
}

}  // namespace tunehub::agent
