#pragma once

#include <string>
#include <vector>

#include "agent/capture/commands.h"
#include "tests/support/miss_line.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent::test {

// AITER's log line for a missed shape with the columns of BlockscaleRow.
inline std::string Missed(int m, int n = 1280, const std::string& family = "a8w8_blockscale") {
  return tunehub::test::MissLine(m, n, 8192, family);
}

class AgentExplain : public testing::Test {
 protected:
  ExplainOptions Of(const std::string& log) const {
    ExplainOptions options;
    options.log.logs = {folder_.Write("vllm.log", log)};
    options.log.device_root = (folder_ / "root");  // has no GPU
    return options;
  }
  ExplainOptions On304(const std::string& log) const {
    ExplainOptions options = Of(log);
    options.log.gfx = "gfx942";
    return options;
  }
  Ran Say(const ExplainOptions& options, RowSource* source = nullptr) const {
    RecordingConsole recorded;
    return recorded.Ended(Explain(configuration_, options, source, recorded.console));
  }
  Ran InTables(const ExplainOptions& options, const std::vector<std::string>& paths) const {
    const auto source = RowsOfTables(configuration_, paths);
    if (!source.ok()) return {kFailed, "", source.error().detail};
    return Say(options, source->get());
  }
  std::string Table(const std::string& rows) const {
    return folder_.Write("a8w8_blockscale_tuned_gemm.csv", kBlockscaleHeader + rows);
  }

  const Configuration configuration_ = RealConfiguration();
  const TempFolder folder_;
};

}  // namespace tunehub::agent::test
