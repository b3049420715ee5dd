#include "agent/hub/etag_file.h"

#include <nlohmann/json.hpp>

#include "core/base/read_json.h"
#include "core/base/sha256.h"
#include "core/system/atomic_file.h"
#include "core/system/file_bytes.h"

namespace tunehub::agent {
namespace {

std::filesystem::path EtagPath(const std::filesystem::path& file) {
  return file.string() + ".etag";
}

}  // namespace

std::string KnownEtag(const std::filesystem::path& file, const std::string& target) {
  auto state = core::FileBytes::Read(EtagPath(file));
  auto bytes = core::FileBytes::Read(file);
  if (!state.ok() || !bytes.ok()) return "";
  const auto json = core::ReadJson(state->view());
  if (!json.is_object()) return "";
  const bool same = json.value("target", nlohmann::json()) == target &&
                    json.value("sha256", nlohmann::json()) == core::Sha256Hex(bytes->view());
  const auto etag = json.value("etag", nlohmann::json());
  return same && etag.is_string() ? etag.get<std::string>() : "";
}

core::Status RememberEtag(const std::filesystem::path& file, const std::string& target,
                          const std::string& etag, const std::string& sha256) {
  const nlohmann::ordered_json json = {{"etag", etag}, {"target", target}, {"sha256", sha256}};
  return core::WriteAtomically(EtagPath(file), json.dump() + "\n");
}

}  // namespace tunehub::agent
