#include "core/family/families.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace tunehub::core {
namespace {

// Names under which a file or a request finds its family: each must lead to one family only.
struct Claimed {
  const char* what;
  std::string Family::*value;
};

constexpr Claimed kClaimed[] = {
    {"name", &Family::name}, {"token", &Family::token}, {"untuned_file", &Family::untuned_file}};

Result<std::vector<std::filesystem::path>> JsonFiles(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(folder, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() == ".json") files.push_back(entry->path());
  }
  if (error) return Error{"bad_family", folder.string() + ": " + error.message()};
  if (files.empty())
    return Error{"bad_family", folder.string() + ": holds no family file (*.json)"};
  std::ranges::sort(files);
  return files;
}

Status CheckUnclaimed(const std::vector<std::shared_ptr<const Family>>& families,
                      const Family& added, const std::filesystem::path& file) {
  for (const std::shared_ptr<const Family>& family : families) {
    for (const Claimed& claimed : kClaimed) {
      if ((*family).*claimed.value != added.*claimed.value) continue;
      return Error{"bad_family",
                   fmt::format("{}: /{}: \"{}\" belongs to the family {} already", file.string(),
                               claimed.what, added.*claimed.value, family->name)};
    }
  }
  return Ok();
}

}  // namespace

Result<Families> Families::Load(const std::filesystem::path& folder) {
  const Result<std::vector<std::filesystem::path>> files = JsonFiles(folder);
  if (!files.ok()) return files.error();
  Families loaded;
  for (const std::filesystem::path& file : *files) {
    Result<Family> family = LoadFamily(file);
    if (!family.ok()) return family.error();
    const Status unclaimed = CheckUnclaimed(loaded.families_, *family, file);
    if (!unclaimed.ok()) return unclaimed.error();
    loaded.families_.push_back(std::make_shared<const Family>(*std::move(family)));
  }
  std::ranges::sort(loaded.families_, {}, [](const auto& family) { return family->name; });
  return loaded;
}

const Family* Families::Find(std::string_view name) const {
  const auto found = std::ranges::find(families_, name, [](const auto& f) { return f->name; });
  return found == families_.end() ? nullptr : found->get();
}

Result<const Family*> Families::Named(std::string_view name) const {
  if (const Family* family = Find(name)) return family;
  return Error{"unknown_family", fmt::format("there is no family '{}', only {}", name, Names())};
}

std::string Families::Names() const {
  std::string names;
  for (const std::shared_ptr<const Family>& family : families_) {
    names += (names.empty() ? "" : ", ") + family->name;
  }
  return names;
}

}  // namespace tunehub::core
