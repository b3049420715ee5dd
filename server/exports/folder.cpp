#include "server/exports/folder.h"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/read_json.h"
#include "core/system/atomic_file.h"

namespace tunehub::exports {
namespace {

namespace fs = std::filesystem;

// All that an export has at its top: whatever else lies there is somebody's, and stays.
constexpr std::string_view kOwnNames[] = {"assets",   "bundles",   "data",  "index.html",
                                          kIndexFile, "revisions", "tables"};

core::Error NotAnExport(const fs::path& place, const std::string& why) {
  return {"not_an_export",
          fmt::format("{}: {}; an export replaces an empty folder or an export of before",
                      place.string(), why)};
}

bool IsIndex(const fs::path& file) {
  std::ifstream in(file);
  const auto json = core::ReadJson(std::string(std::istreambuf_iterator<char>(in), {}));
  return json.is_object() && json.value("format", nlohmann::json()) == kFormat;
}

core::Status CheckReplaceable(const fs::path& place) {
  std::error_code error;
  const fs::file_status status = fs::status(place, error);
  if (status.type() == fs::file_type::not_found) return core::Ok();
  if (status.type() == fs::file_type::none) return core::Unwritable(place, error);
  if (status.type() != fs::file_type::directory) return NotAnExport(place, "is no folder");
  bool empty = true;
  for (fs::directory_iterator it(place, error), end; !error && it != end; it.increment(error)) {
    empty = false;
    const std::string name = it->path().filename().string();
    if (std::ranges::find(kOwnNames, name) == std::end(kOwnNames)) {
      return NotAnExport(place, fmt::format("holds '{}', which is no part of an export", name));
    }
  }
  if (error) return core::Unwritable(place, error);
  if (empty || IsIndex(place / kIndexFile)) return core::Ok();
  return NotAnExport(place, fmt::format("has no {} of an export", kIndexFile));
}

}  // namespace

core::Result<Folder> Folder::Begin(const fs::path& named) {
  const auto place = core::FolderPlace(named);
  if (!place.ok()) return place.error();
  if (core::Status status = CheckReplaceable(*place); !status.ok()) return status.error();
  auto draft = core::FolderDraft::Begin(*place);
  if (!draft.ok()) return draft.error();
  return Folder(*std::move(draft));
}

core::Status Folder::Publish() {
  // What was written meanwhile is not lost either.
  if (core::Status status = CheckReplaceable(draft_.place()); !status.ok()) return status;
  return draft_.Publish();
}

}  // namespace tunehub::exports
