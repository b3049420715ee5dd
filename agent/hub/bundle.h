// What GET /bundle gives: tuned tables laid out as aiter/configs, each with its SHA-256.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "agent/hub/summed_archive.h"
#include "core/base/result.h"

namespace tunehub::agent {

struct Bundle {
  std::map<std::string, std::string> tables;  // by name inside aiter/configs
};

// Errors: those of SummedArchive.
inline core::Result<Bundle> ParseBundle(std::string_view tar_gz) {
  auto archive = SummedArchive::Read(tar_gz);
  if (!archive.ok()) return archive.error();
  auto tables = archive->Take("aiter/configs/", ".csv");
  if (!tables.ok()) return tables.error();
  return Bundle{*std::move(tables)};
}

}  // namespace tunehub::agent
