// docs/threat-model.md names the tests of each defence. Each of these tests exists.
#include <gmock/gmock.h>

#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "build_info.h"
#include "tests/support/shipped.h"

namespace tunehub::test {
namespace {

namespace fs = std::filesystem;

const fs::path kTree = TUNEHUB_SOURCE_DIR;

struct ThreatRow {
  std::string attack;
  std::vector<std::string> tests;
};

std::vector<std::string> ThreatCellsOf(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream text(line.substr(1));
  for (std::string cell; std::getline(text, cell, '|');) cells.push_back(cell);
  return cells;
}

std::vector<std::string> InBackticks(const std::string& cell) {
  std::vector<std::string> names;
  for (std::size_t at = 0; (at = cell.find('`', at)) != cell.npos;) {
    const std::size_t end = cell.find('`', at + 1);
    names.push_back(cell.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return names;
}

// Every row of the tables with the head "attack | defence | test".
std::vector<ThreatRow> ThreatRowsOf(const std::string& page) {
  std::vector<ThreatRow> rows;
  std::istringstream text(page);
  bool within = false;
  for (std::string line; std::getline(text, line);) {
    if (line == "| attack | defence | test |") {
      within = true;
    } else if (!line.starts_with('|')) {
      within = false;
    } else if (within && !line.starts_with("|---")) {
      const auto cells = ThreatCellsOf(line);
      rows.push_back(
          {cells[0], cells.size() == 3 ? InBackticks(cells[2]) : std::vector<std::string>{}});
    }
  }
  return rows;
}

// Returns "Suite.name" of every TEST, TEST_F and TEST_P below tests/.
std::set<std::string> TestsInCpp() {
  std::set<std::string> names;
  for (const auto& file : fs::recursive_directory_iterator(kTree / "tests")) {
    if (file.path().extension() != ".cpp") continue;
    const std::string text = ReadText(file.path());
    for (std::size_t at = 0; (at = text.find("\nTEST", at)) != text.npos; ++at) {
      const std::size_t open = text.find('(', at), comma = text.find(',', open);
      const std::size_t name = text.find_first_not_of(" \n", comma + 1);
      names.insert(text.substr(open + 1, comma - open - 1) + "." +
                   text.substr(name, text.find(')', name) - name));
    }
  }
  return names;
}

// Looks for "tests/web/browser/a.test.ts: its title", or for a program by its path.
bool IsInFile(const std::string& name) {
  const std::size_t colon = name.find(": ");
  const fs::path file = kTree / name.substr(0, colon);
  if (!name.starts_with("tests/") || !fs::is_regular_file(file)) return false;
  return colon == name.npos || ReadText(file).find(name.substr(colon + 2)) != std::string::npos;
}

std::set<std::string> WrongIn(const std::string& page, const std::set<std::string>& tests) {
  std::set<std::string> wrong;
  for (const ThreatRow& row : ThreatRowsOf(page)) {
    if (row.tests.empty()) wrong.insert(row.attack + ": no test");
    for (const std::string& name : row.tests) {
      if (!tests.contains(name) && !IsInFile(name)) wrong.insert(name + ": there is no such test");
    }
  }
  return wrong;
}

TEST(ThreatModel, names_a_test_for_every_defence_and_each_of_them_exists) {
  const std::string page = ReadText(kTree / "docs/threat-model.md");
  EXPECT_GT(ThreatRowsOf(page).size(), 20U);
  EXPECT_THAT(WrongIn(page, TestsInCpp()), testing::IsEmpty());
}

TEST(ThreatModel, a_row_without_a_test_or_with_one_that_is_gone_is_seen) {
  const std::string head = "| attack | defence | test |\n|---|---|---|\n";
  EXPECT_THAT(WrongIn(head + "| a | b | |\n| d | e | `Gone.for_ever`, `Here.it_is` |\n"
                             "| g | h | `tests/run: no such title` |\n",
                      {"Here.it_is"}),
              testing::ElementsAre(" a : no test", "Gone.for_ever: there is no such test",
                                   "tests/run: no such title: there is no such test"));
}

}  // namespace
}  // namespace tunehub::test
