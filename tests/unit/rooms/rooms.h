// The rooms (folders of C++) that rooms.txt lists, and the #include lines of the tree.
#pragma once

#include <istream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tunehub::test {

// Maps a folder ("core/row") to the other folders that it may include.
using Rooms = std::map<std::string, std::set<std::string>>;

// Reads lines `core/row  what is in it | core/base core/family`. Skips blank lines and comments
// (#).
Rooms ReadRooms(std::istream& lines);
Rooms RoomsOfTheTable();  // the rooms in rooms.txt

// Returns a cycle as "a -> b -> a", or "" if there is none.
std::string CycleIn(const Rooms& rooms);

struct Include {
  std::string file;  // relative to the tree
  int line = 0;
  std::string name;
};

// The #include lines of every source below core, kernels, dispatch, examples, agent and server.
std::vector<Include> IncludesOfTheTree();
// Returns the name that a line of source includes.
std::optional<std::string> IncludedName(const std::string& line);
std::string FolderOf(const std::string& path);

}  // namespace tunehub::test
