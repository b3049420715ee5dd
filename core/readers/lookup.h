// Which file, and which member of it, a reader takes: the engines' rules restated.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/readers/file_body.h"
#include "core/readers/file_name.h"
#include "core/readers/reader.h"

namespace tunehub::core {

inline constexpr std::size_t kNoMember = static_cast<std::size_t>(-1);

// Nearest: the least distance to M, of equal ones the first of the file. Smallest bound: the first
// M_LEQ that is not below M among the bounds of the op, else the largest M_GEQ that is not above
// it, else any. kNoMember: none, at which AITER raises and vLLM and SGLang use their default.
std::size_t TakenMember(const ReaderStore& store, std::span<const BodyMember> members,
                        std::int64_t m, std::string_view op = "");

struct FileChoice {
  std::string path;
  bool special = false;  // else the default file
};
// The file of a key (its member's column is not looked at): for stores with a default file the
// folder that has the default, there the special files, (B, N, K) or the named sizes before (N, K),
// then the default. The key's layout says which search is meant, "" the first. An empty path: none,
// at which AITER stops.
FileChoice ChosenFile(const ReaderStore& store, const KeyCells& key,
                      const std::function<bool(const std::string& path)>& exists);

}  // namespace tunehub::core
