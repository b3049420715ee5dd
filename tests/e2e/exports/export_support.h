// A server with rows of three targets and two revisions, and exports of this server.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {

class ExportTest : public testing::Test {
 protected:
  // Revision 1: gfx942 with 80 and 304 CUs, and gfx950. Revision 2: a faster row and a new row.
  static void SetUpTestSuite() {
    server_ = std::make_unique<ServerProcess>(
        ServerOptions{.database = NewDatabase(), .configs = ConfigsOfTwoModels()});
    const HttpClient submitter = server_->Client(server_->NewKey("submit"));
    Good(submitter.Post(kResults, kHeader + Row(16, "9.0") + Row(32, "12.0") +
                                      Row(16, "8.0", "gfx942", "304") +
                                      Row(16, "7.0", "gfx950", "256")));
    ASSERT_EQ(Verdict(submitter.Post(kResults, kHeader + Row(16, "6.0") + Row(64, "20.0"))), "200");
  }
  static void TearDownTestSuite() { server_.reset(); }

  std::filesystem::path Place() const { return dir_.path() / "site"; }
  Finished Export(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"export", "--static", Place().string()});
    return server_->Tool(std::move(more));
  }
  nlohmann::json Index() const { return nlohmann::json::parse(ReadText(Place() / "index.json")); }

  TempDir dir_;
  static std::unique_ptr<ServerProcess> server_;
};

inline std::unique_ptr<ServerProcess> ExportTest::server_;

}  // namespace tunehub::test
