// `tunehub-server doctor` as it is installed: a program in a prefix of its own, with the shipped
// definitions and a page.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "build_info.h"
#include "tests/e2e/hub_fixture.h"
#include "tests/support/temp_dir.h"

namespace tunehub::test {

// Where nothing listens. At the default port may be a hub of this machine's.
constexpr const char* kNobody = "127.0.0.1:1";

class DoctorTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(share() / "web/dist");
    std::filesystem::create_directories(program().parent_path());
    std::filesystem::copy_file(ServerBinary(), program());
    std::filesystem::create_directory_symlink(TUNEHUB_SOURCE_DIR "/configs", share() / "configs");
    std::ofstream(share() / "web/dist/index.html") << "<!doctype html>";
  }

  Finished Doctor(std::vector<std::string> arguments,
                  std::map<std::string, std::string> environment = {}) const {
    arguments.insert(arguments.begin(), "doctor");
    environment.try_emplace("TUNEHUB_LISTEN", kNobody);
    return RunToEnd({program(), std::move(arguments), std::move(environment)});
  }
  // Of this server and its database.
  Finished DoctorOf(const ServerProcess& server, const std::vector<std::string>& database,
                    std::map<std::string, std::string> environment = {}) const {
    std::vector<std::string> arguments = {"--listen", "127.0.0.1:" + std::to_string(server.port())};
    arguments.insert(arguments.end(), database.begin(), database.end());
    return Doctor(std::move(arguments), std::move(environment));
  }
  // A database that a server would start on.
  std::string MigratedDatabase() const {
    const std::string database = NewDatabase();
    EXPECT_EQ(RunToEnd({program(), {"migrate", "--database", database}}).status, 0);
    return database;
  }

  std::filesystem::path share() const { return dir_.path() / "opt/share/tunehub"; }
  std::filesystem::path program() const { return dir_.path() / "opt/bin/tunehub-server"; }

  TempDir dir_;
};

// It says so, and the exit status is that of something wrong.
inline void ExpectSays(const Finished& doctor, const std::vector<std::string>& words) {
  EXPECT_EQ(doctor.status, 1) << doctor.out << doctor.err;
  for (const std::string& it : words) EXPECT_THAT(doctor.out, testing::HasSubstr(it));
}

}  // namespace tunehub::test
