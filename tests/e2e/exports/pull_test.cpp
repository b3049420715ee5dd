// tunehub-agent reads a static export from a plain file server, which ignores queries.
#include <fmt/core.h>

#include <chrono>

#include "tests/e2e/exports/export_support.h"

namespace tunehub::test {
namespace {

namespace fs = std::filesystem;

// Runs python3 -m http.server. It chooses a port and prints it.
class FileServer {
 public:
  explicit FileServer(const fs::path& folder)
      : program_({"/usr/bin/python3",
                  {"-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory",
                   folder.string()}},
                 dir_.path() / "out", dir_.path() / "err") {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (port_ == 0 && std::chrono::steady_clock::now() < until) {
      constexpr std::string_view kPort = " port ";
      const std::string out = ReadText(dir_.path() / "out");
      if (const auto at = out.find(kPort); at != std::string::npos && out.back() == '\n')
        port_ = std::stoi(out.substr(at + kPort.size()));
      if (program_.Wait(std::chrono::milliseconds(20))) break;
    }
    if (port_ == 0) throw std::runtime_error("python3 -m http.server does not start");
  }

  std::string url() const { return fmt::format("http://127.0.0.1:{}", port_); }

 private:
  TempDir dir_;
  Program program_;
  int port_ = 0;
};

TEST_F(ExportTest, is_pulled_and_installed_from_a_host_of_files_as_the_server_gives_it) {
  ASSERT_EQ(Export({"--revision", "1"}).status, 0);
  const FileServer host(dir_.path());
  const std::string file = dir_ / "out.csv";
  const auto agent = [&](std::vector<std::string> arguments) {
    return RunToEnd({AgentBinary(),
                     std::move(arguments),
                     // Page hosts serve a site below a path.
                     {{"TUNEHUB_HUB", host.url() + "/site"}, {"TUNEHUB_SPOOL", dir_ / "spool"}}});
  };
  const auto pull = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"pull", "--family", "a8w8_blockscale", "-o", file});
    return agent(std::move(more));
  };
  const auto served = [](const std::string& query) {
    return server_->Client().Get("/tuned/a8w8_blockscale" + query).body;
  };
  const Finished pulled = pull({"--gfx", "gfx942", "--query", "cu_num=80"});
  ASSERT_EQ(pulled.status, 0) << pulled.err;
  EXPECT_EQ(ReadText(file), served("?gfx=gfx942&cu_num=80"));
  EXPECT_THAT(pulled.out, HasSubstr("3 rows of a8w8_blockscale, revision 2"));
  EXPECT_THAT(pull({"--gfx", "gfx942", "--query", "cu_num=80"}).out, HasSubstr("unchanged"));
  ASSERT_EQ(pull({"--gfx", "gfx942", "--query", "revision=1"}).status, 0);
  EXPECT_EQ(ReadText(file), served("?gfx=gfx942&revision=1"));
  ASSERT_EQ(pull({}).status, 0);
  EXPECT_EQ(ReadText(file), served(""));

  const std::string tree = dir_ / "aiter_configs",
                    table = dir_.Write("aiter_configs/a8w8_blockscale_tuned_gemm.csv",
                                       kHeader + Row(16, "9.0"));
  const Finished installed = agent({"install", tree, "--any-build"});
  ASSERT_EQ(installed.status, 0) << installed.err;
  EXPECT_EQ(ReadText(table), served(""));
  EXPECT_THAT(installed.out, HasSubstr("installed revision 2"));
}

}  // namespace
}  // namespace tunehub::test
