// The rooms of the house: ARCHITECTURE.md's table of them, and the #include lines of the tree.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tunehub::test {

// By folder ("core/row"), the folders that it may include beside itself.
using Rooms = std::map<std::string, std::set<std::string>>;

// The rows `| [core/row](core/row) | what is in it | core/base, core/family |` of a text. An entry
// "core/*" stands for every room of the table below core/.
Rooms ReadRooms(std::string_view markdown);
Rooms RoomsOfTheTable();  // of ARCHITECTURE.md, those that hold C++

// "a -> b -> a"; "" where there is none.
std::string CycleIn(const Rooms& rooms);

struct Include {
  std::string file;  // relative to the tree
  int line = 0;
  std::string name;
};

// Of every source below core, kernels, dispatch, examples, agent and server.
std::vector<Include> IncludesOfTheTree();
// What a line of source includes.
std::optional<std::string> IncludedName(const std::string& line);
std::string FolderOf(const std::string& path);

}  // namespace tunehub::test
