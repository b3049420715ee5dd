// A hub with rows of three engines, logs with shapes that they missed, and trees that rows can be
// added to.
#pragma once

#include <filesystem>

#include "tests/e2e/hub_fixture.h"
#include "tests/support/miss_line.h"

namespace tunehub::test {

inline constexpr char kMi300[] = "AMD_Instinct_MI300X", kMi325[] = "AMD_Instinct_MI325X";

inline std::string MoeRow(const std::string& engine, const std::string& device,
                          const std::string& triton, int m) {
  return engine + "," + device + "," + triton + ",8,2048,fp8_w8a8,0,0,0,0,," + std::to_string(m) +
         R"(,"{""BLOCK_SIZE_M"":16,""num_warps"":4}",7.5)" + "\n";
}
inline std::string FileName(const std::string& device) {
  return "E=8,N=2048,device_name=" + device + ",dtype=fp8_w8a8.json";
}

inline std::string VllmMiss(const std::string& device) {
  return "WARNING [fused_moe.py:727] Using default MoE config. Performance might be sub-optimal! "
         "Config file not found at /p/vllm/model_executor/layers/fused_moe/configs/" +
         FileName(device) + "\n";
}
inline std::string SglangMiss(const std::string& device) {
  return "[2026-01-01 TP0] Using default MoE kernel config. Performance might be sub-optimal! "
         "Config file not found at /p/sglang/srt/layers/moe/fused_moe_triton/configs/"
         "triton_3_5_1/" +
         FileName(device) + ", you can create them with https://example.org\n";
}
// AITER's log line for a missed shape. N and K are those of Row in hub_fixture.h.
inline std::string AiterMiss(int m, int n = 2048) {
  return MissLine(m, n, 3072);
}

class LiveHubTest : public HubTest {
 protected:
  static void SetUpTestSuite() {
    HubTest::SetUpTestSuite();
    Good(Submitter().Post("/results/triton_fused_moe", kMoeHeader + MoeRow("vllm", kMi300, "", 1) +
                                                           MoeRow("vllm", kMi300, "", 64) +
                                                           MoeRow("sglang", kMi300, "3.4.0", 1)));
    ASSERT_EQ(Verdict(Submitter().Post(kResults, kHeader + Row(16, "10", "gfx942", "304"))), "200");
  }

  std::string Log(const std::string& text) const { return Write("serve.log", text); }
  static Finished Run(std::vector<std::string> arguments, const std::string& key = "") {
    return RunToEnd({AgentBinary(), std::move(arguments), {{"TUNEHUB_KEY", key}}});
  }
  // Runs the report's next commands in a shell, except commands that a user must complete.
  Finished RunSteps(const nlohmann::json& report) const {
    std::string script = "set -e; cd " + dir_.path().string() + "; tunehub-agent() { " +
                         AgentBinary() + " \"$@\"; }\n";
    for (const auto& step : report["next"]) {
      for (const auto& line : step["commands"]) {
        const auto text = line.get<std::string>();
        if (text.find("CHECKOUT") == std::string::npos) script += text + "\n";
      }
    }
    return RunToEnd({"/bin/bash", {"-c", script}, {{"TUNEHUB_KEY", submit_key_}}});
  }
  // Makes an AITER tree with one table.
  std::string AiterTree() const {
    Write("aiter/aiter/configs/a8w8_blockscale_tuned_gemm.csv",
          kHeader + Row(32, "9", "gfx942", "304"));
    return Path("aiter");
  }
};

}  // namespace tunehub::test
