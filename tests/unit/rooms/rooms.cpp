#include "tests/unit/rooms/rooms.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "build_info.h"

namespace tunehub::test {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTops[] = {"core", "kernels", "dispatch", "examples", "agent", "server"};

bool IsSource(const fs::path& path) {
  const auto extension = path.extension();
  return extension == ".cpp" || extension == ".h" || extension == ".cu" || extension == ".cuh" ||
         extension == ".hip";
}

// Extends `path` by each room that its last room includes. A repeated room closes a cycle.
std::string Follow(const Rooms& rooms, std::vector<std::string>& path,
                   std::set<std::string>& done) {
  const std::string room = path.back();
  const auto before = std::find(path.begin(), path.end() - 1, room);
  if (before != path.end() - 1) {
    std::string text = *before;
    for (auto next = before + 1; next != path.end(); ++next) text += " -> " + *next;
    return text;
  }
  if (done.contains(room) || !rooms.contains(room)) return "";
  for (const auto& next : rooms.at(room)) {
    path.push_back(next);
    std::string cycle = Follow(rooms, path, done);
    if (!cycle.empty()) return cycle;
    path.pop_back();
  }
  done.insert(room);
  return "";
}

}  // namespace

Rooms ReadRooms(std::istream& lines) {
  Rooms rooms;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string room, what;
    if (!(words >> room) || room.starts_with('#')) continue;
    std::getline(words, what, '|');
    auto& may_include = rooms[room];
    for (std::string name; words >> name;) may_include.insert(name);
  }
  return rooms;
}

Rooms RoomsOfTheTable() {
  std::ifstream lines(TUNEHUB_SOURCE_DIR "/tests/unit/rooms/rooms.txt");
  return ReadRooms(lines);
}

std::string CycleIn(const Rooms& rooms) {
  std::set<std::string> done;
  for (const auto& [room, unused] : rooms) {
    std::vector<std::string> path = {room};
    std::string cycle = Follow(rooms, path, done);
    if (!cycle.empty()) return cycle;
  }
  return "";
}

std::optional<std::string> IncludedName(const std::string& line) {
  const size_t hash = line.find_first_not_of(" \t");
  if (hash == std::string::npos || line[hash] != '#') return std::nullopt;
  const size_t word = line.find_first_not_of(" \t", hash + 1);
  if (word == std::string::npos || line.compare(word, 7, "include") != 0) return std::nullopt;
  const size_t open = line.find_first_of("<\"", word + 7);
  if (open == std::string::npos) return std::nullopt;
  const size_t close = line.find_first_of(">\"", open + 1);
  if (close == std::string::npos) return std::nullopt;
  return line.substr(open + 1, close - open - 1);
}

std::string FolderOf(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::vector<Include> IncludesOfTheTree() {
  const fs::path root = TUNEHUB_SOURCE_DIR;
  std::vector<Include> includes;
  for (const std::string_view top : kTops) {
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      if (!entry.is_regular_file() || !IsSource(entry.path())) continue;
      const std::string file = fs::relative(entry.path(), root).generic_string();
      std::ifstream stream(entry.path());
      std::string line;
      for (int number = 1; std::getline(stream, line); ++number) {
        if (auto name = IncludedName(line)) includes.push_back({file, number, *name});
      }
    }
  }
  return includes;
}

}  // namespace tunehub::test
