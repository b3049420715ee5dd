// tunehub-agent against a static export behind a plain file server, which ignores queries.
#include <fmt/core.h>

#include <chrono>

#include "tests/e2e/exports/export_support.h"

namespace tunehub::test {
namespace {

using testing::AllOf;
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

TEST_F(ExportPullTest, a_locked_revision_is_found_or_said_to_be_missing) {
  const std::string pinned = Served("?gfx=gfx942&revision=1");
  const std::string lock = File("tunehub.lock");
  const std::string pin = Index()["pins"][1];
  std::ofstream(lock) << nlohmann::json({{"hub", url()},
                                         {"tables",
                                          {{{"family", "a8w8_blockscale"},
                                            {"query", "gfx=gfx942"},
                                            {"revision", 1},
                                            {"token", pin.substr(pin.find('-') + 1)},
                                            {"sha256", Index()["tables"][0]["sha256"]},
                                            {"file", "out.csv"}}}}});
  const Finished other = Pull({"--gfx", "gfx942", "--lock", lock});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("lock_mismatch"));
  const nlohmann::json index = Index();
  for (const auto& entry : index["tables"]) {
    if (entry["revision"] != 1 || entry.value("gfx", "") != "gfx942" || entry.contains("cu_num"))
      continue;
    auto json = nlohmann::json::parse(ReadText(lock));
    json["tables"][0]["sha256"] = entry["sha256"];
    std::ofstream(lock) << json;
  }
  ASSERT_EQ(Pull({"--gfx", "gfx942", "--lock", lock}).status, 0);
  EXPECT_EQ(ReadText(File("out.csv")), pinned);
  ASSERT_EQ(Export().status, 0);  // now without revision 1
  fs::remove(File("out.csv"));
  const Finished missing = Pull({"--gfx", "gfx942", "--lock", lock});
  EXPECT_NE(missing.status, 0);
  EXPECT_THAT(missing.err, HasSubstr("revision 1 is not in it; it has 2"));
  EXPECT_FALSE(fs::exists(File("out.csv")));
}

TEST_F(ExportPullTest, a_changed_file_is_refused_and_the_old_one_stays) {
  ASSERT_EQ(Pull({"--gfx", "gfx950"}).status, 0);
  const std::string before = ReadText(File("out.csv"));
  std::ofstream(Place() / "tables/a8w8_blockscale/gfx942.csv", std::ios::app) << "one,more\n";
  const Finished pulled = Pull({"--gfx", "gfx942"});
  EXPECT_NE(pulled.status, 0);
  EXPECT_THAT(pulled.err, HasSubstr("export_damaged"));
  EXPECT_EQ(ReadText(File("out.csv")), before);
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

TEST_F(ExportPullTest, what_it_cannot_do_is_named) {
  const std::string table = File("mine.csv");
  std::ofstream(table) << kHeader << Row(16, "5.0");
  const Finished pulled = Pull({"--build", "wheel"});
  EXPECT_THAT(pulled.err, AllOf(HasSubstr(url() + " is a static export of revision 2"),
                                HasSubstr("answers no 'build='; that needs a server")));
  EXPECT_THAT(Pull({"--query", "rocm=6.4"}).err, HasSubstr("answers no 'rocm='"));
  EXPECT_THAT(Pull({"--query", "model=qwen3-32b"}).err, HasSubstr("answers no 'model='"));
  const Finished pushed = Agent({"push", "--spool", File("spool"), table});
  EXPECT_NE(pushed.status, 0);
  EXPECT_THAT(pushed.err + pushed.out, HasSubstr("that needs a server"));
  // Nothing is lost: the server takes it from the spool.
  const std::string key = server_->NewKey("submit");
  const Finished later = RunToEnd({AgentBinary(),
                                   {"push", "--spool", File("spool"), "--from", url()},
                                   {{"TUNEHUB_HUB", server_->url()}, {"TUNEHUB_KEY", key}}});
  EXPECT_EQ(later.status, 0) << later.err;
  EXPECT_THAT(Served("?gfx=gfx942&cu_num=80"), HasSubstr(",5.0,"));
}

}  // namespace
}  // namespace tunehub::test
