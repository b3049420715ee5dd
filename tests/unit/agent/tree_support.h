// A hub's tree of a reader's files, as pull and install fetch it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agent/hub/hub_client.h"
#include "core/base/sha256.h"
#include "core/system/tar.h"

namespace tunehub::agent::test {

// `files` by their paths below vLLM's folder.
inline std::string TreeArchive(const std::map<std::string, std::string>& files,
                               const std::string& variable = "VLLM_TUNED_CONFIG_FOLDER",
                               const std::string& packages = R"(["vllm/configs","vllm/old"])") {
  std::vector<core::TarFile> entries;
  std::string sums;
  for (const auto& [name, bytes] : files) {
    entries.push_back({"vllm/" + name, bytes});
    sums += core::Sha256Hex(bytes) + "  vllm/" + name + "\n";
  }
  entries.push_back({"SHA256SUMS", sums});
  entries.push_back({"tree.json", R"({"format": "tunehub-tree", "version": 1, "reader": "vllm",
    "family": "triton_fused_moe", "value": "", "variable": ")" +
                                      variable + R"(", "packages": )" + packages + "}"});
  return core::WriteTarGz(entries);
}

inline Answer TreeOf(const std::map<std::string, std::string>& files,
                     const std::string& etag = "\"e\"", const std::string& revision = "7") {
  return {200,
          {{"content-type", "application/gzip"}, {"etag", etag}, {"tunehub-revision", revision}},
          TreeArchive(files)};
}

}  // namespace tunehub::agent::test
