#include "core/readers/lookup.h"

#include <algorithm>
#include <charconv>

#include "core/readers/name_parts.h"

namespace tunehub::core {
namespace {

std::size_t Nearest(std::span<const BodyMember> members, std::int64_t m) {
  std::size_t taken = kNoMember;
  std::int64_t least = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    std::int64_t key = 0;
    const std::string& name = members[i].name;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), key);
    if (parsed.ec != std::errc() || name.empty()) continue;  // an empty object
    const std::int64_t distance = key < m ? m - key : key - m;
    if (taken != kNoMember && distance >= least) continue;
    taken = i;
    least = distance;
  }
  return taken;
}

std::size_t PlaceOf(std::span<const BodyMember> members, const std::string& name) {
  const auto found = std::ranges::find(members, name, &BodyMember::name);
  return found == members.end() ? kNoMember : static_cast<std::size_t>(found - members.begin());
}

std::size_t SmallestBound(std::span<const BodyMember> members, std::int64_t m,
                          const std::vector<std::int64_t>& bounds) {
  for (const std::int64_t bound : bounds) {
    if (m > bound) continue;
    const std::size_t place = PlaceOf(members, "M_LEQ_" + std::to_string(bound));
    if (place != kNoMember) return place;
  }
  for (auto bound = bounds.rbegin(); bound != bounds.rend(); ++bound) {
    if (m < *bound) continue;
    const std::size_t place = PlaceOf(members, "M_GEQ_" + std::to_string(*bound));
    if (place != kNoMember) return place;
  }
  return PlaceOf(members, "any");
}

// "" where nothing can be named so.
std::string PathIn(const ReaderStore& store, KeyCells key, const std::string& layout) {
  key[store.layout] = layout;
  const auto path = PathOf(store, key);
  return path.ok() ? *path : std::string();
}

// Of what tells special files apart only `kept`.
KeyCells Only(const ReaderStore& store, KeyCells key, const std::vector<std::size_t>& kept) {
  for (const std::size_t column : store.special) {
    if (std::ranges::find(kept, column) != kept.end()) continue;
    key[column] = AbsentCell(store.family->columns[column]);
  }
  return key;
}

// Of one layout, where it has a default file.
FileChoice ChosenIn(const ReaderStore& store, const KeyCells& key, const std::string& layout,
                    const std::function<bool(const std::string&)>& exists) {
  const std::string fallback = PathIn(store, Only(store, key, {}), layout);
  if (fallback.empty() || !exists(fallback)) return {};
  for (const auto& kept : store.specials) {
    const std::string path = PathIn(store, Only(store, key, kept), layout);
    if (path != fallback && !path.empty() && exists(path)) return {path, true};
  }
  return {fallback, false};
}

}  // namespace

std::size_t TakenMember(const ReaderStore& store, std::span<const BodyMember> members,
                        std::int64_t m, std::string_view op) {
  return store.lookup == LookupRule::kSmallestBound
             ? SmallestBound(members, m, store.family->lookup.BoundsOf(op))
             : Nearest(members, m);
}

FileChoice ChosenFile(const ReaderStore& store, const KeyCells& key,
                      const std::function<bool(const std::string&)>& exists) {
  if (store.searches.empty()) {
    const auto path = PathOf(store, key);
    if (!path.ok() || !exists(*path)) return {};
    return {*path};
  }
  const std::string& asked = key[store.layout];
  for (const auto& search : store.searches) {
    if (!asked.empty() && std::ranges::find(search, asked) == search.end()) continue;
    for (const std::string& layout : search) {
      FileChoice chosen = ChosenIn(store, key, layout, exists);
      if (!chosen.path.empty()) return chosen;
    }
    break;  // a caller asks for the layouts of one search
  }
  return {};
}

}  // namespace tunehub::core
