// Who holds a lease: an agent's instance, of one owner. Both are one text in the database, so that
// what makes instances unique there makes them so per owner.
#pragma once

#include <string>
#include <string_view>

#include "server/store/connection/writer.h"

namespace tunehub::store {

// Stands behind the owner, and in no name: those hold no control characters.
inline constexpr char kOwnerEnds = '\x1f';

struct Holder {
  std::string owner, instance;
};

// Agents that say no instance are told apart by their names.
template <typename T>
std::string HolderOf(const T& it, const std::string& name) {
  const std::string& instance = it.instance.empty() ? name : it.instance;
  return it.owner == kDefaultOwner ? instance : it.owner + kOwnerEnds + instance;
}

inline Holder ParseHolder(std::string_view text) {
  const std::size_t end = text.find(kOwnerEnds);
  if (end == std::string_view::npos) return {kDefaultOwner, std::string(text)};
  return {std::string(text.substr(0, end)), std::string(text.substr(end + 1))};
}

}  // namespace tunehub::store
