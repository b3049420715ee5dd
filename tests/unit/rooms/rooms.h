// The rooms (folders of C++) that rooms.txt lists, and the #include lines of the tree.
#pragma once

#include <istream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tunehub::test {

// By folder ("core/row"), the folders that it may include beside itself.
using Rooms = std::map<std::string, std::set<std::string>>;

// The lines `core/row  what is in it | core/base core/family`; others are blank or begin with #.
Rooms ReadRooms(std::istream& lines);
Rooms RoomsOfTheTable();  // of rooms.txt

// "a -> b -> a"; "" without a cycle.
std::string CycleIn(const Rooms& rooms);

struct Include {
  std::string file;  // relative to the tree
  int line = 0;
  std::string name;
};

// The #include lines of every source below core, kernels, dispatch, examples, agent and server.
std::vector<Include> IncludesOfTheTree();
// The name that a line of source includes.
std::optional<std::string> IncludedName(const std::string& line);
std::string FolderOf(const std::string& path);

}  // namespace tunehub::test
