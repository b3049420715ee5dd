// A hub's tree of a reader's files, as pull and install fetch it.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/archive.h"
#include "core/base/signature.h"
#include "tests/support/result.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent::test {

// A reader similar to vLLM's, with short file names: "E=8.json", "triton_3_4_0/E=8.json".
inline constexpr std::string_view kShortReader = R"({
  "name": "vllm", "engine": "vllm", "title": "vLLM", "variable": "VLLM_TUNED_CONFIG_FOLDER",
  "stores": [{
    "family": "triton_fused_moe", "title": "fused MoE", "variable": true, "body": "m_keys",
    "packages": ["vllm/configs", "vllm/old"], "lookup": {"rule": "nearest", "member": "M"},
    "names": [
      {"parts": [{"text": "triton_{triton:version}/"}, {"text": "E={E}"}, {"text": ".json"}]},
      {"parts": [{"text": "E={E}"}, {"text": ".json"}]}
    ]
  }]})";

inline Configuration ShortReaderConfiguration() {
  static constexpr core::TextFolder::Text kTexts[] = {{"vllm.json", kShortReader}};
  Configuration configuration = RealConfiguration();
  configuration.readers = Must(core::Readers::Load({"readers", kTexts}, configuration.families));
  return configuration;
}

// `files`: texts by their paths below the reader's folder. `said`: members that tree.json adds or
// replaces.
inline std::string TreeArchive(const std::map<std::string, std::string>& files,
                               const nlohmann::json& said = nlohmann::json::object()) {
  nlohmann::json tree = {{"format", "tunehub-tree"},
                         {"version", 1},
                         {"reader", "vllm"},
                         {"family", "triton_fused_moe"}};
  tree.update(said);
  const std::string folder = tree["reader"].get<std::string>() + "/";
  std::vector<core::TarFile> entries;
  for (const auto& [name, bytes] : files) entries.push_back({folder + name, bytes});
  entries.push_back({"tree.json", tree.dump()});
  core::AddSums(entries, {}, {}, "");
  return core::WriteTarGz(entries);
}

inline const std::string kTreeToken(32, 'a');

inline Answer TreeOf(const std::map<std::string, std::string>& files,
                     const std::string& etag = "\"e\"", const std::string& revision = "7") {
  return {200,
          {{"content-type", "application/gzip"},
           {"etag", etag},
           {"tunehub-pin", revision + "-" + kTreeToken}},
          TreeArchive(files)};
}

}  // namespace tunehub::agent::test
