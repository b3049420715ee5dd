// For each test suite: a real server on its own database, and rows to send to it.
#pragma once

#include <gmock/gmock.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/archive.h"
#include "tests/support/http_client.h"
#include "tests/support/server_process.h"
#include "tests/support/shipped.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_cluster.h"

namespace tunehub::test {

using Json = nlohmann::json;
using testing::HasSubstr;

inline const std::string kResults = "/results/a8w8_blockscale";
inline const std::string kTable = "/tuned/a8w8_blockscale?gfx=gfx942";
inline const std::string& kHeader = kBlockscaleHeader;
inline const std::string kMoeHeader =
    "engine,device,triton,E,N,dtype,block_n,block_k,per_channel_quant,down,backend,M,config,us\n";
inline const std::string kKernel =
    "a8w8_blockscale_1x128x128_256x16x64x256_16x16_16x16_1x1_16x16x1_16x16x1_1x16x1x16_4_1x1_"
    "intrawave_v1";
inline const std::string kOtherKernel =
    "a8w8_blockscale_1x128x128_256x16x128x256_16x16_16x16_1x2_16x16x1_16x16x1_1x16x1x16_8_1x2_"
    "intrawave_v1";

// A row in the format of AITER's tuner. With M up to 64 and at least 5 us, its speed is plausible.
inline std::string Row(int m, const std::string& us, const std::string& gfx = "gfx942",
                       const std::string& cu_num = "80") {
  return gfx + "," + cu_num + "," + std::to_string(m) + ",2048,3072,ck,8,2," + us + "," + kKernel +
         ",2.61,1304.22,0.0\n";
}

// The row with another kernel instead of kKernel.
inline std::string With(std::string row, const std::string& kernel) {
  return row.replace(row.find(kKernel), kKernel.size(), kernel);
}

// The row with this error instead of 0.0.
inline std::string Erring(std::string row, const std::string& error) {
  return row.replace(row.rfind("0.0"), 3, error);
}

// The manifest of a build with one kernel.
inline std::string BuildOf(const std::string& kernel, const std::string& gfx = "gfx942") {
  return "# kind: compiled\nmodule,gfx,kernelId,kernelName\ngemm_a8w8_blockscale," + gfx + ",," +
         kernel + "\n";
}

// Imports the files. `query`, for example: "source=tree".
inline RawAnswer SendTree(const HttpClient& client, const std::string& query,
                          const std::vector<core::TarFile>& files) {
  return client.Post("/import?" + query, core::WriteTarGz(files),
                     {{"Content-Type", "application/gzip"}});
}

class HubTest : public testing::Test {
 protected:
  // The limit for bodies is low, so that tests can exceed it.
  static void SetUpTestSuite() {
    server_ = std::make_unique<ServerProcess>(
        ServerOptions{.database = NewDatabase(), .environment = {{"TUNEHUB_BODY_MIB", "4"}}});
    submit_key_ = server_->NewKey("submit");
  }
  static void TearDownTestSuite() {
    server_.reset();
    admin_key_.clear();
  }

  // After each test the same process must still answer.
  void TearDown() override {
    EXPECT_TRUE(server_->Lives()) << server_->Log();
    EXPECT_EQ(Verdict(Open().Get("/healthz")), "200");
  }

  // A path in the test's own folder.
  std::string Path(const std::string& name) const { return dir_ / name; }
  std::string Write(const std::string& name, const std::string& text) const {
    return dir_.Write(name, text);
  }

  // Uses a key of scope submit, unless `environment` contains another key.
  static Finished RunAgent(std::vector<std::string> arguments,
                           std::map<std::string, std::string> environment = {}) {
    environment.insert({{"TUNEHUB_HUB", server_->url()}, {"TUNEHUB_KEY", submit_key_}});
    return RunToEnd({AgentBinary(), std::move(arguments), std::move(environment)});
  }
  static HttpClient Open() { return server_->Client(); }
  static HttpClient Submitter() { return server_->Client(submit_key_); }
  static RawAnswer PutBuild(const std::string& name, const std::string& manifest) {
    const auto answer = Submitter().Try("PUT", "/builds/" + name, manifest);
    if (!answer) throw std::runtime_error("no answer to PUT /builds/" + name);
    return *answer;
  }
  static const std::string& AdminKey() {
    if (admin_key_.empty()) admin_key_ = server_->NewKey("admin");
    return admin_key_;
  }
  static HttpClient Admin() { return server_->Client(AdminKey()); }
  // All state that a refused write must not change.
  static std::string Stored() {
    return Open().Get("/readyz").body + Open().Get("/runs").body + Open().Get("/tuned").body +
           Open().Get("/revisions").body;
  }

  TempDir dir_;
  static std::unique_ptr<ServerProcess> server_;
  static std::string submit_key_, admin_key_;
};

inline std::unique_ptr<ServerProcess> HubTest::server_;
inline std::string HubTest::submit_key_;
inline std::string HubTest::admin_key_;

}  // namespace tunehub::test
