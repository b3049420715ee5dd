// The agent imports the engines' real trees. The hub returns every file by its name and in its
// tree, as its rows write it. tests/unit/core/readers/real_trees_test.cpp compares these bytes, and
// each lookup in them, with the originals.
#include <cstdio>

#include "core/base/encoding.h"
#include "tests/e2e/hub_fixture.h"
#include "tests/support/archive.h"
#include "tests/support/readers.h"

namespace tunehub::test {
namespace {

class RealReaderFiles : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto entries = RealFiles(GetParam());
    if (entries.empty()) {
      GTEST_SKIP() << "NOT TESTED: no files in " << RealTree(GetParam()) << " (set TUNEHUB_DATA)";
    }
    reading_ = core::ReadTree(reader_, ShippedTargets(), entries);
    server_ = std::make_unique<ServerProcess>(ServerOptions{.database = NewDatabase()});
    key_ = server_->NewKey("admin");
    report_ = Import();
    EXPECT_EQ(report_.at("files_aside"), reading_.files_aside);
    EXPECT_EQ(report_.at("receipt").value("rejected", 0), 0)
        << report_.at("receipt").dump(1).substr(0, 2000);
  }

  Json Import() const {
    return Json::parse(RunToEnd({AgentBinary(),
                                 {"import", RealTree(GetParam()).string(), "--reader", GetParam(),
                                  "--json", "--allow-shrink"},
                                 {{"TUNEHUB_HUB", server_->url()}, {"TUNEHUB_KEY", key_}}})
                           .out);
  }
  // Percent-encodes all characters except slashes.
  static std::string Encoded(const std::string& path) {
    std::string encoded;
    for (std::size_t begin = 0; begin <= path.size();) {
      const std::size_t end = std::min(path.find('/', begin), path.size());
      encoded += (begin > 0 ? "/" : "") + core::PercentEncoded(path.substr(begin, end - begin));
      begin = end + 1;
    }
    return encoded;
  }
  // True if the tree has files of the store.
  bool HasRows(const core::ReaderStore& store) const {
    return std::ranges::find(reading_.tables, store.family, &core::TreeTable::family) !=
           reading_.tables.end();
  }
  // A tree's files, by their paths below the reader's config folder.
  std::map<std::string, std::string> TreeOf(const core::ReaderStore& store) const {
    const RawAnswer answer =
        server_->Client().Get("/tree/" + reader_.name + "?family=" + store.family->name);
    EXPECT_EQ(Verdict(answer), "200") << answer.body;
    std::map<std::string, std::string> files;
    const bool inside = store.variable && !reader_.variable_folder.empty();
    const std::string front = reader_.name + "/" + (inside ? reader_.variable_folder + "/" : "");
    for (const auto& [name, bytes] : Unpacked(answer.body)) {
      if (name.starts_with(front)) files[name.substr(front.size())] = bytes;
    }
    return files;
  }

  // The agent refuses a tree with a file that it would not write itself. An honest hub sends no
  // such file.
  void ExpectTheAgentTakesThem() const {
    const TempDir dir;
    const auto agent = [&](std::vector<std::string> arguments, const core::ReaderStore& store) {
      arguments.insert(arguments.end(), {"--reader", reader_.name, "--hub", server_->url()});
      if (arguments.front() == "pull") {
        arguments.insert(arguments.end(), {"--query", "family=" + store.family->name});
      } else {
        arguments.insert(arguments.end(), {"--family", store.family->name});
      }
      const Finished ran = RunToEnd({AgentBinary(), std::move(arguments), {}});
      EXPECT_EQ(ran.status, 0) << ran.err;
      return ran.out;
    };
    for (const core::ReaderStore& store : reader_.stores) {
      if (!HasRows(store)) continue;
      const auto files = TreeOf(store);
      std::filesystem::path folder = dir.path() / store.family->name;
      const std::string said = agent({"pull", "-o", folder.string()}, store);
      EXPECT_THAT(said, testing::HasSubstr(": " + std::to_string(files.size()) + " files of "));
      EXPECT_EQ(said.find("export " + reader_.variable + "=") != said.npos, store.variable) << said;
      if (store.variable) folder /= reader_.variable_folder;
      for (const auto& [path, bytes] : files) ASSERT_EQ(ReadText(folder / path), bytes) << path;
      if (store.packages.empty()) continue;
      const std::filesystem::path package = dir.path() / "site" / store.packages.front();
      std::filesystem::create_directories(package);
      agent({"install", dir / "site"}, store);
      for (const auto& [path, bytes] : files) ASSERT_EQ(ReadText(package / path), bytes) << path;
    }
  }

  const core::Reader& reader_ = ShippedReader(GetParam());
  core::TreeReading reading_;
  std::unique_ptr<ServerProcess> server_;
  std::string key_;
  Json report_;
};

TEST_P(RealReaderFiles, come_back_by_their_names_as_trees_and_through_the_agent) {
  const auto written = Written(reader_, reading_);
  ASSERT_FALSE(written.empty());
  std::map<std::string, std::string> in_trees;
  for (const core::ReaderStore& store : reader_.stores) {
    if (HasRows(store)) in_trees.merge(TreeOf(store));
  }
  EXPECT_EQ(in_trees.size(), written.size());
  for (const auto& [path, bytes] : written) {
    const RawAnswer file = server_->Client().Get("/files/" + reader_.name + "/" + Encoded(path));
    ASSERT_EQ(file.body, bytes) << path;
    ASSERT_EQ(in_trees[path], bytes) << path;
  }
  ExpectTheAgentTakesThem();
  Json again = Import();
  EXPECT_EQ(again.at("receipt").at("unchanged"), report_.at("receipt").at("rows"));
  EXPECT_EQ(again.at("receipt").at("stored"), 0);
  again["receipt"] = report_.at("receipt");
  EXPECT_EQ(again, report_) << "a second import must report the same";
  std::printf(
      "%s: %zu files over the hub, of %zu of the reader's; %zu files and %zu members aside\n",
      GetParam(), written.size(), reading_.files, reading_.files_aside, reading_.members_aside);
}

INSTANTIATE_TEST_SUITE_P(Readers, RealReaderFiles, testing::Values("vllm", "sglang", "aiter"));

}  // namespace
}  // namespace tunehub::test
