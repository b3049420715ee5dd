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

Status CheckUnclaimed(const std::vector<std::shared_ptr<const Family>>& families,
                      const Family& added, const std::string& file) {
  for (const std::shared_ptr<const Family>& family : families) {
    for (const Claimed& claimed : kClaimed) {
      if ((*family).*claimed.value != added.*claimed.value) continue;
      return Error{"bad_family",
                   fmt::format("{}: /{}: \"{}\" belongs to the family {} already", file,
                               claimed.what, added.*claimed.value, family->name)};
    }
  }
  return Ok();
}

}  // namespace

Result<Families> Families::Load(const TextFolder& folder) {
  const Result<std::vector<std::string>> names = folder.Names();
  if (!names.ok()) return Error{"bad_family", names.error().detail};
  if (names->empty())
    return Error{"bad_family", folder.place() + ": holds no family file (*.json)"};
  Families loaded;
  for (const std::string& name : *names) {
    const std::string place = folder.PlaceOf(name);
    const std::optional<std::string> text = folder.Read(name);
    if (!text) return Error{"bad_family", place + ": cannot be read"};
    Result<Family> family = ParseFamily(place, *text);
    if (!family.ok()) return family.error();
    const Status unclaimed = CheckUnclaimed(loaded.families_, *family, place);
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

const Family* Families::Unlisted() const {
  const auto found = std::ranges::find_if(families_, [](const auto& f) { return f->csv_lines; });
  return found == families_.end() ? nullptr : found->get();
}

std::string Families::Names() const {
  std::string names;
  for (const std::shared_ptr<const Family>& family : families_) {
    names += (names.empty() ? "" : ", ") + family->name;
  }
  return names;
}

}  // namespace tunehub::core
