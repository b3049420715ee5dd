#include "server/service/registry/key_rights.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include "core/base/excerpt.h"
#include "core/row/cell.h"
#include "server/service/registry/source_name.h"

namespace tunehub::service {
namespace {

constexpr std::size_t kMaxOwnerBytes = 64;
constexpr int kMostCus = 4096;  // as of a claim
constexpr std::string_view kOwnerChars =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._@-";

core::Status CheckOwnerName(const std::string& owner) {
  if (!owner.empty() && owner.size() <= kMaxOwnerBytes &&
      owner.find_first_not_of(kOwnerChars) == std::string::npos)
    return core::Ok();
  return core::Error{"bad_owner",
                     fmt::format("owner: '{}' is not allowed, only 1 to {} of A-Z a-z 0-9 . _ @ -",
                                 core::Excerpt(owner), kMaxOwnerBytes)};
}

core::Status CheckFamilies(store::Store& store, const std::vector<std::string>& families) {
  if (families.empty()) return core::Ok();
  std::vector<std::string> known;
  for (const auto& family : store.schema().Families()) known.push_back(family.name);
  for (const std::string& family : families) {
    if (std::find(known.begin(), known.end(), family) != known.end()) continue;
    return core::Error{"unknown_family",
                       fmt::format("families: '{}' is no family; the families are {}",
                                   core::Excerpt(family), fmt::join(known, ", "))};
  }
  return core::Ok();
}

bool IsTarget(std::string_view text) {
  const std::string_view gfx = text.substr(0, text.find(':'));
  const auto canonical = core::CanonicalGfx(gfx);
  if (!canonical || *canonical != gfx) return false;
  if (gfx.size() == text.size()) return true;
  const std::string_view cus = text.substr(gfx.size() + 1);
  int count = 0;
  const auto parsed = std::from_chars(cus.data(), cus.data() + cus.size(), count);
  return parsed.ec == std::errc() && parsed.ptr == cus.data() + cus.size() && count > 0 &&
         count <= kMostCus && cus.front() != '0';
}

}  // namespace

core::Status CheckRights(store::Store& store, const KeyRights& rights) {
  if (auto owner = CheckOwnerName(rights.owner); !owner.ok()) return owner;
  if (auto known = CheckFamilies(store, rights.limits.families); !known.ok()) return known;
  for (const std::string& target : rights.limits.targets) {
    if (IsTarget(target)) continue;
    return core::Error{"bad_target",
                       fmt::format("targets: '{}' is no target such as gfx942:304 or gfx942",
                                   core::Excerpt(target))};
  }
  for (const std::string& source : rights.limits.sources) {
    if (IsSourceName(source)) continue;
    return core::Error{"bad_source", fmt::format("sources: '{}' is not allowed, only {}",
                                                 core::Excerpt(source), kSourceRule)};
  }
  return core::Ok();
}

}  // namespace tunehub::service
