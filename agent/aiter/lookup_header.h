// The table of kernels that AITER's code generator writes for a module (*_lookup.h): a shape, or a
// kernel's name, and the function that runs it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tunehub::agent {

// The kernel by its key, as written without spaces: "gfx942",304,16,1280,8192 or a name. Whatever
// is no row is passed over.
using LookupRows = std::map<std::string, std::string>;
LookupRows ReadLookupHeader(std::string_view header);

// Of all *_lookup.h below `folder`; empty where there is none.
LookupRows ReadLookupHeaders(const std::filesystem::path& folder);

struct LookupChange {
  // Keys; at most kMostKeys of each kind.
  std::vector<std::string> added, removed;
  std::vector<std::string> changed;                                          // "KEY: OLD -> NEW"
  std::size_t rows_added = 0, rows_removed = 0, rows_changed = 0, rows = 0;  // rows: afterwards
};
// More of one kind say nothing new.
inline constexpr std::size_t kMostKeys = 20;
LookupChange CompareLookups(const LookupRows& before, const LookupRows& after);

// "12 rows added, 3 removed, 5 with another kernel, 120 now"
std::string Summary(const LookupChange& change);

}  // namespace tunehub::agent
