// Compiles and runs a heuristic's C++ and Python source, and compares both results with the tree's.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <random>

#include "build_info.h"
#include "core/analysis/heuristic.h"
#include "tests/support/program.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"
#include "tests/support/temp_dir.h"

namespace tunehub::analysis {
namespace {

using Texts = std::vector<std::string>;  // a shape's feature columns, then the CU count
using Random = std::mt19937_64;

class HeuristicSource : public testing::Test {
 protected:
  // Writes the heuristic's files into the test's folder, and its sources as header.h and module.py.
  void Put(const Heuristic& heuristic, const core::Family& family) const {
    const auto sources = Must(SourcesOf(heuristic, family));
    folder_.Write("instances.json", sources.at(0).text);
    folder_.Write("header.h", sources.at(1).text);
    folder_.Write("module.py", sources.at(2).text);
  }

  // Returns the outputs of main.cpp and main.py. Each compiler warning is an error.
  std::pair<std::string, std::string> Run(const std::string& flags = "") const {
    const test::Finished done = test::RunToEnd(
        {"/bin/sh",
         {"-c", "cd " + folder_.path().string() + " && c++ -std=c++17 -pedantic -Wall -Wextra " +
                    "-Wshadow -Wconversion -Werror -O1 " + flags + " main.cpp -o main && " +
                    "./main >cpp && python3 -B main.py >python"}});
    EXPECT_EQ(done.status, 0) << done.out << done.err;
    return {test::ReadText(folder_.path() / "cpp"), test::ReadText(folder_.path() / "python")};
  }

  // Writes programs that read the file `shapes` and print the index of each shape's instance.
  void WritePrograms(const core::Family& family) const {
    const Features features(family);
    std::string reads, names, arguments;
    for (const std::size_t i : features.columns()) {
      const core::Type type = family.columns[i].type;
      const std::string name = "v" + std::to_string(i);
      reads += (type == core::Type::kEnum      ? "std::string "
                : type == core::Type::kInteger ? "std::int64_t "
                                               : "bool ") +
               name + "; ";
      names += " >> " + name;
      arguments += name + ", ";
    }
    const std::string space = "heuristic_" + family.name;
    folder_.Write("main.cpp",
                  "#include \"header.h\"\n#include <fstream>\n#include <iostream>\n"
                  "#include <string>\nint main() {std::ifstream in(\"shapes\");" +
                      reads + "std::int64_t cus;\nwhile (in" + names + " >> cus)\n" +
                      "std::cout << (&" + space + "::Choose(" + arguments + "cus) - " + space +
                      "::kInstances) << '\\n';}\n");
    folder_.Write("main.py",
                  "import module\n"
                  "def value(text): return int(text) if text.lstrip('-').isdigit() else text\n"
                  "for line in open('shapes'):\n"
                  "    print(module.INSTANCES.index(module.choose(*map(value, line.split()))))\n");
  }

  void Agree(const Heuristic& heuristic, const core::Family& family,
             const std::vector<Texts>& shapes) const {
    ASSERT_NO_FATAL_FAILURE(Put(heuristic, family));
    WritePrograms(family);
    const auto listed =
        nlohmann::ordered_json::parse(test::ReadText(folder_.path() / "instances.json"));
    std::vector<std::string> places;  // each choice's index in instances.json
    for (const Choice& choice : heuristic.choices) {
      const auto& all = listed.at("instances");
      const auto found = std::find(all.begin(), all.end(), ToJson(choice, family));
      places.push_back(std::to_string(found - all.begin()) + "\n");
    }
    const Features features(family);
    std::string lines, expected;
    std::vector<double> numbers;
    for (const Texts& shape : shapes) {
      core::Cells cells(family.columns.size());
      for (std::size_t i = 0; i < features.columns().size(); ++i) {
        std::string_view& cell = cells[features.columns()[i]] = shape[i];
        if (family.columns[features.columns()[i]].type == core::Type::kBoolean)
          cell = shape[i] == "1" ? "True" : "False";
        lines += shape[i] + " ";
      }
      lines += shape.back() + "\n";
      features.Of(cells, std::stoi(shape.back()), numbers);
      expected += places[heuristic.Choose(numbers)];
    }
    folder_.Write("shapes", lines);
    const auto [cpp, python] = Run();
    EXPECT_TRUE(cpp == expected) << "C++ chooses otherwise";
    EXPECT_TRUE(python == expected) << "Python chooses otherwise";
  }

  const core::Family& family_ = test::ShippedFamily("a8w8_blockscale");
  const test::TempDir folder_;
};

Heuristic ShippedArms() {
  return Must(LoadHeuristic(TUNEHUB_SOURCE_DIR "/configs/heuristics",
                            test::ShippedFamily("a8w8_blockscale")))
      .value();
}

// Sizes up to 2^62. Some sizes and products equal a threshold of the tree, or differ from it by
// one.
std::vector<Texts> RandomShapes(const core::Family& family, const Heuristic& heuristic,
                                std::size_t count, Random& random) {
  const Features features(family);
  std::vector<std::int64_t> edges = {1, std::int64_t{1} << 31, std::int64_t{1} << 53};
  for (const Node& node : heuristic.nodes) {
    if (node.choice == kNoChoice && node.at_most < 1e18)
      edges.push_back(static_cast<std::int64_t>(node.at_most));
  }
  const auto size = [&]() -> std::int64_t {
    const auto kind = random() % 8;
    if (kind < 4) return static_cast<std::int64_t>(random() % (std::uint64_t{2} << random() % 20));
    if (kind < 6)
      return edges[random() % edges.size()] + static_cast<std::int64_t>(random() % 3) - 1;
    return kind < 7 ? 1 : static_cast<std::int64_t>(random() >> (2 + random() % 62));
  };
  std::vector<Texts> shapes(count);
  for (Texts& shape : shapes) {
    for (const std::size_t i : features.columns()) {
      const core::Column& column = family.columns[i];
      const std::size_t place = random() % (column.values.size() + 1);
      shape.push_back(column.type == core::Type::kInteger ? std::to_string(size())
                      : column.type != core::Type::kEnum  ? std::to_string(random() % 2)
                      : place == column.values.size()     ? "unheard_of"
                                                          : column.values[place]);
    }
    shape.push_back(std::to_string(random() % 400));
  }
  return shapes;
}

// A tree over every feature. Its thresholds come from shapes, so that equality occurs.
Heuristic RandomTree(const core::Family& family, Random& random) {
  Heuristic tree;
  for (int i = 0; i < 16; ++i) {
    std::vector<std::string> cells(family.columns.size());
    cells[family.kernel_columns.front()] = "kernel_" + std::to_string(i);
    tree.choices.push_back(MakeChoice(family, std::move(cells)));
  }
  const Features features(family);
  const auto shapes = RandomShapes(family, tree, 400, random);
  std::vector<double> numbers;
  const auto grow = [&](const auto& self, int depth) -> std::size_t {
    const std::size_t place = tree.nodes.size();
    tree.nodes.emplace_back();
    Node node;
    if (depth == 8) {
      node.choice = random() % tree.choices.size();
    } else {
      const Texts& shape = shapes[random() % shapes.size()];
      core::Cells cells(family.columns.size());
      for (std::size_t i = 0; i < features.columns().size(); ++i)
        cells[features.columns()[i]] = shape[i];
      features.Of(cells, 304, numbers);
      node.feature = random() % numbers.size();
      node.at_most = numbers[node.feature];
      node.yes = self(self, depth + 1);
      node.no = self(self, depth + 1);
    }
    tree.nodes[place] = node;
    return place;
  };
  grow(grow, 0);
  return tree;
}

TEST_F(HeuristicSource, of_the_seven_arms_chooses_as_the_tree_on_random_shapes) {
  Random random(1);
  const Heuristic arms = ShippedArms();
  Agree(arms, family_, RandomShapes(family_, arms, 100'000, random));
}

TEST_F(HeuristicSource, of_trees_over_every_feature_chooses_as_they_do) {
  for (const char* name : {"a8w8_blockscale", "bf16", "fmoe"}) {
    SCOPED_TRACE(name);
    const core::Family& family = test::ShippedFamily(name);
    Random random(2);
    const Heuristic tree = RandomTree(family, random);
    Agree(tree, family, RandomShapes(family, tree, 20'000, random));
  }
}

// The loader refuses heuristic files with such texts, but the source writer must not rely on that.
TEST_F(HeuristicSource, keeps_a_hostile_text_a_text) {
  const std::string hostile = "a\"; } exit(9); //'''\"\"\"\\\n*/ ?\?/ \t7{0} %s #\\";
  Heuristic arms = ShippedArms();
  arms.about = "*/ #error\nexit(9)";
  for (Choice& choice : arms.choices) choice.cells[family_.Find("kernelName")] = hostile;
  ASSERT_NO_FATAL_FAILURE(Put(arms, family_));
  folder_.Write(
      "main.cpp",
      "#include \"header.h\"\n#include <cstdio>\nint main() {\n"
      "std::fputs(heuristic_a8w8_blockscale::Choose(16, 1280, 5120, 304).kernelName, stdout);}\n");
  folder_.Write("main.py",
                "import module\nprint(module.choose(16, 1280, 5120, 304)['kernelName'], end='')");
  EXPECT_EQ(Run("-trigraphs"), std::pair(hostile, hostile));
}

TEST(HeuristicFile, is_refused_at_the_place_of_a_text_that_no_candidate_has) {
  const core::Family& family = test::ShippedFamily("a8w8_blockscale");
  const auto error = [&](const nlohmann::json& changed) {
    nlohmann::json file = {{"family", family.name},
                           {"tree", {{"choose", {{"splitK", "0"}, {"kernelName", "a"}}}}}};
    file.merge_patch(changed);
    const auto heuristic = ParseHeuristic("tree.json", file.dump(), family);
    return heuristic.ok() ? "" : heuristic.error().detail;
  };
  EXPECT_EQ(error(nlohmann::json::object()), "");
  for (const char* kernel : {"a\"b", "a'b", "a\nb", "a\\b", "a*/b", "a?\?/b", "a\xC3\xA4", "a b",
                             "FAILED\");exit(9)//", "FAILED"}) {
    EXPECT_THAT(error({{"tree", {{"choose", {{"kernelName", kernel}}}}}}),
                testing::HasSubstr("/tree/choose/kernelName: "))
        << kernel;
  }
  EXPECT_THAT(error({{"default", {{"splitK", "0"}, {"kernelName", "x;y"}}}}),
              testing::HasSubstr("/default/kernelName: "));
  EXPECT_THAT(error({{"gfx", "gfx942\"\n"}}), testing::HasSubstr("/gfx: expected a target's name"));
  EXPECT_THAT(error({{"cu_num", std::int64_t{1} << 32}}),
              testing::HasSubstr("/cu_num: expected a number"));
}

}  // namespace
}  // namespace tunehub::analysis
