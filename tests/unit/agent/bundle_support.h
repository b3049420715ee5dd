// A hub's bundle of tables, as `install` fetches it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agent/hub/hub_client.h"
#include "core/base/archive.h"
#include "core/base/hash.h"

namespace tunehub::agent::test {

// `tables`: texts by their file names below aiter/configs.
inline Answer BundleOf(const std::map<std::string, std::string>& tables) {
  std::vector<core::TarFile> entries;
  std::string sums;
  for (const auto& [name, bytes] : tables) {
    entries.push_back({"aiter/configs/" + name, bytes});
    sums += core::Sha256Hex(bytes) + "  aiter/configs/" + name + "\n";
  }
  entries.push_back({"SHA256SUMS", sums});
  entries.push_back({"env.sh", "export X=1\n"});
  return {200, {{"tunehub-revision", "7"}}, core::WriteTarGz(entries)};
}

}  // namespace tunehub::agent::test
