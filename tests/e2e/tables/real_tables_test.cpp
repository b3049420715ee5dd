// The agent imports AITER's real tree. Each served table must equal the offline merge of the same
// files, and agree with AITER's own rules.
#include <iostream>
#include <sstream>

#include "build_info.h"
#include "tests/e2e/hub_fixture.h"
#include "tests/support/comes.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

// The server has its default limits, because the tree exceeds those of HubTest.
class RealTablesTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (RealTunedFiles().empty()) return;
    const std::string database = NewDatabase();
    server_ = std::make_unique<ServerProcess>(ServerOptions{.database = database});
    dir_ = std::make_unique<TempDir>();
    const Finished imported =
        RunToEnd({AgentBinary(),
                  {"import", Configs().string(), "--json"},
                  {{"TUNEHUB_HUB", server_->url()}, {"TUNEHUB_KEY", server_->NewKey("admin")}}});
    // Status 1: the import is done, with remarks about some rows.
    if (imported.status > 1) throw std::runtime_error(imported.out + imported.err);
    dir_->Write("receipt.json", imported.out);
    // A read waits at most two seconds for a revision. A busy machine may need longer.
    const std::string stored = QueryText(database, "SELECT max(number) FROM revision");
    if (!Comes(
            [&] { return server_->Client().Get("/tuned?min_revision=" + stored).status == 200; }))
      throw std::runtime_error("revision " + stored + " does not come");
    for (const auto& family : AiterFamilies()) {
      dir_->Write(family->name + ".csv", Served(family->name));
    }
  }
  static void TearDownTestSuite() {
    server_.reset();
    dir_.reset();
  }
  void SetUp() override {
    if (RealTunedFiles().empty()) GTEST_SKIP() << NoRealTables();
  }

  static std::filesystem::path Configs() {
    std::filesystem::path path = RealTunedFiles().front().parent_path();
    return path.filename() == "model_configs" ? path.parent_path() : path;
  }
  static std::string Served(const std::string& family) {
    return server_->Client().Get("/tuned/" + family + "?allow_empty=1").body;
  }

  static std::unique_ptr<ServerProcess> server_;
  static std::unique_ptr<TempDir> dir_;
};

std::unique_ptr<ServerProcess> RealTablesTest::server_;
std::unique_ptr<TempDir> RealTablesTest::dir_;

TEST_F(RealTablesTest, each_served_table_is_the_offline_merge_byte_for_byte) {
  std::size_t rows = 0;
  for (const auto& family : AiterFamilies()) {
    std::string files;
    for (const auto& file : RealTunedFiles()) {
      if (file.filename().string().find(family->token) == std::string::npos) continue;
      files += (files.empty() ? "" : ":") + file.string();
    }
    if (files.empty()) continue;  // a family that only later AITER trees have
    const std::string merged = *dir_ / "merged.csv";
    const Finished done =
        RunToEnd({AgentBinary(), {"merge", files, "-o", merged, "--family", family->name}, {}});
    ASSERT_LE(done.status, 1) << family->name << ": " << done.err;
    const std::string expected = ReadText(merged);
    EXPECT_TRUE(Served(family->name) == expected) << family->name << " differs from its merge";
    rows += static_cast<std::size_t>(std::count(expected.begin(), expected.end(), '\n')) - 1;
  }
  EXPECT_GT(rows, 1000U);
}

// Shape keys must be unique. Each difference from AITER's choice must have a known reason.
TEST_F(RealTablesTest, each_served_table_is_aiters_merge_except_for_known_reasons) {
  const Finished compared =
      RunToEnd({"/usr/bin/python3",
                {TUNEHUB_SOURCE_DIR "/tests/e2e/tables/aiter_merge.py", Configs().string(),
                 ShippedFamilyFolder().string(), dir_->path().string(), *dir_ / "receipt.json"},
                {}});
  EXPECT_EQ(compared.status, 0) << compared.err;
  std::cout << compared.out;
}

// Looks up about ten thousand shapes near the rows of all families, and some of them over HTTP.
TEST_F(RealTablesTest, aiters_lookups_find_the_same_row_in_its_merge_and_in_the_served_tables) {
  const Finished compared =
      RunToEnd({"/usr/bin/python3",
                {TUNEHUB_SOURCE_DIR "/tests/e2e/tables/aiter_lookup.py", Configs().string(),
                 ShippedFamilyFolder().string(), dir_->path().string(), server_->url(), "2000"},
                {}});
  EXPECT_EQ(compared.status, 0) << compared.err;
  std::cout << compared.out;
}

// libtunehub_dispatch must find the same rows in a served table as the server.
TEST_F(RealTablesTest, the_dispatch_example_finds_what_the_server_finds) {
  const std::string table =
      dir_->Write("served.csv", server_->Client().Get("/tuned/a8w8_blockscale?gfx=gfx942").body);
  const Finished example = RunToEnd({ExampleBinary(),
                                     {table, "--gemm", "1280x5120,5120x1024,6400x5120,5120x3200",
                                      "--gfx", "gfx942", "--m", "1,33,512,1000,4097"},
                                     {}});
  ASSERT_EQ(example.status, 0) << example.err;
  std::istringstream lines(example.out);
  std::string line, m, n, k, step;
  std::getline(lines, line);  // the line with the column names
  int answers = 0;
  for (; std::getline(lines, line); ++answers) {
    std::istringstream words(line);
    words >> m >> n >> k >> step;
    std::string row_m, us, libtype, kernel;
    words >> row_m >> us >> libtype >> kernel;
    const auto json = nlohmann::json::parse(
        server_->Client()
            .Get("/lookup/a8w8_blockscale?gfx=gfx942&M=" + m + "&N=" + n + "&K=" + k)
            .body);
    EXPECT_EQ(json.at("step"), step) << line;
    ASSERT_FALSE(json.at("row").is_null()) << line;
    EXPECT_EQ(json.at("row").at("M").dump(), row_m);
    EXPECT_EQ(json.at("row").at("kernelName"), kernel);
    EXPECT_EQ(json.at("row").at("libtype"), libtype);
    EXPECT_NEAR(json.at("row").at("us").get<double>(), std::stod(us), 1e-4);
  }
  EXPECT_EQ(answers, 5 * 4);
}

}  // namespace
}  // namespace tunehub::test
