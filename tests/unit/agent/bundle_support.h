// A hub's bundle of tables, as `install` fetches it.
#pragma once

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "agent/hub/hub_client.h"
#include "core/base/archive.h"
#include "core/base/hash.h"
#include "core/base/signature.h"
#include "tests/support/result.h"

namespace tunehub::agent::test {

// `tables`: texts by their file names below aiter/configs.
inline Answer BundleOf(const std::map<std::string, std::string>& tables) {
  std::vector<core::TarFile> entries;
  for (const auto& [name, bytes] : tables) entries.push_back({"aiter/configs/" + name, bytes});
  entries.push_back({"env.sh", "export X=1\n"});
  core::AddSums(entries, {}, {}, "");
  return {200, {{"tunehub-revision", "7"}}, core::WriteTarGz(entries)};
}

// The same archive with a signature of its SHA256SUMS by the secret key.
inline Answer SignedArchive(Answer answer, const core::SecretKey& by, const core::Pin& pin,
                            const std::string& asked) {
  auto files = Must(core::ReadTar(answer.body, {.bytes = 1 << 20, .files = 100}));
  const auto sums = std::ranges::find(files, "SHA256SUMS", &core::TarFile::name);
  files.push_back({"SHA256SUMS.minisig", core::SignAnswer(by, pin, asked, sums->bytes)});
  answer.body = core::WriteTarGz(files);
  answer.headers["tunehub-pin"] = pin.Text();
  return answer;
}

inline core::SecretKey NewSecret() {
  return Must(core::SecretKey::Parse(core::SecretKey::NewText()));
}

// The answer of GET /signing-keys. No key is signed by another key.
inline Answer KeysOf(const std::vector<core::SecretKey>& keys) {
  nlohmann::json list = nlohmann::json::array();
  for (const core::SecretKey& key : keys)
    list.push_back({{"public_key", key.public_key().Text()}, {"rotation", ""}});
  return {200, {{"content-type", "application/json"}}, nlohmann::json{{"keys", list}}.dump()};
}

}  // namespace tunehub::agent::test
