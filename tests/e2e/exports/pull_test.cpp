// tunehub-agent against a static export behind a plain file server, which ignores queries.
#include <fmt/core.h>

#include <chrono>

#include "tests/e2e/exports/export_support.h"

namespace tunehub::test {
namespace {

namespace fs = std::filesystem;

// python3 -m http.server, on a port of its own choice, which it prints.
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

class ExportPullTest : public ExportTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(Export({"--revision", "1"}).status, 0);
    host_ = std::make_unique<FileServer>(dir_.path());
  }

  std::string url() const { return host_->url() + "/site"; }  // below a path, as page hosts have it
  std::string File(const std::string& name) const { return dir_ / name; }
  Finished Agent(std::vector<std::string> arguments) const {
    return RunToEnd({AgentBinary(),
                     std::move(arguments),
                     {{"TUNEHUB_HUB", url()}, {"TUNEHUB_SPOOL", File("spool")}}});
  }
  Finished Pull(std::vector<std::string> more) const {
    more.insert(more.begin(), {"pull", "--family", "a8w8_blockscale", "-o", File("out.csv")});
    return Agent(std::move(more));
  }
  static std::string Served(const std::string& query) {
    return server_->Client().Get("/tuned/a8w8_blockscale" + query).body;
  }

  std::unique_ptr<FileServer> host_;
};

TEST_F(ExportPullTest, the_file_is_what_the_server_gives) {
  const Finished pulled = Pull({"--gfx", "gfx942", "--query", "cu_num=80"});
  ASSERT_EQ(pulled.status, 0) << pulled.err;
  EXPECT_EQ(ReadText(File("out.csv")), Served("?gfx=gfx942&cu_num=80"));
  EXPECT_THAT(pulled.out, HasSubstr("3 rows of a8w8_blockscale, revision 2"));
  EXPECT_THAT(Pull({"--gfx", "gfx942", "--query", "cu_num=80"}).out, HasSubstr("unchanged"));
  ASSERT_EQ(Pull({"--gfx", "gfx942", "--query", "revision=1"}).status, 0);
  EXPECT_EQ(ReadText(File("out.csv")), Served("?gfx=gfx942&revision=1"));
  ASSERT_EQ(Pull({}).status, 0);
  EXPECT_EQ(ReadText(File("out.csv")), Served(""));
}

TEST_F(ExportPullTest, a_lock_pins_what_a_server_would_pin) {
  ASSERT_EQ(Pull({"--gfx", "gfx942", "--lock", File("of_export.lock")}).status, 0);
  const Finished pulled = RunToEnd({AgentBinary(),
                                    {"pull", "--family", "a8w8_blockscale", "-o", File("out.csv"),
                                     "--gfx", "gfx942", "--lock", File("of_server.lock")},
                                    {{"TUNEHUB_HUB", server_->url()}}});
  ASSERT_EQ(pulled.status, 0) << pulled.err;
  auto of_export = nlohmann::json::parse(ReadText(File("of_export.lock")));
  auto of_server = nlohmann::json::parse(ReadText(File("of_server.lock")));
  EXPECT_EQ(of_export["tables"], of_server["tables"]);
  EXPECT_EQ(of_export["hub"], url());
  EXPECT_EQ(of_export["tables"][0]["revision"], 2);
}

TEST_F(ExportPullTest, install_takes_the_bundle_of_all) {
  const fs::path tree = dir_.path() / "aiter_configs";
  fs::create_directory(tree);
  const fs::path table = tree / "a8w8_blockscale_tuned_gemm.csv";
  std::ofstream(table) << kHeader << Row(16, "9.0");
  const Finished installed = Agent({"install", tree.string(), "--any-build"});
  ASSERT_EQ(installed.status, 0) << installed.err;
  EXPECT_EQ(ReadText(table), Served(""));
  EXPECT_THAT(installed.out, HasSubstr("installed revision 2"));
  const Finished narrowed =
      Agent({"install", tree.string(), "--any-build", "--gpu-archs", "gfx942"});
  EXPECT_THAT(narrowed.err, HasSubstr("answers no 'gpu_archs='; that needs a server"));
}

}  // namespace
}  // namespace tunehub::test
