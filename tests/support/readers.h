// The readers that the repository ships, and the engines' real files where they are at hand.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/readers/reader.h"
#include "core/readers/tree_reader.h"

namespace tunehub::test {

const core::Readers& ShippedReaders();
const core::Reader& ShippedReader(std::string_view name);  // throws if it does not exist

// $TUNEHUB_DATA/vllm, sglang or aiter/triton_configs. Both are empty if it is absent.
std::filesystem::path RealTree(std::string_view reader);
std::vector<core::TreeEntry> RealFiles(std::string_view reader);
std::vector<core::TreeEntry> JsonFilesBelow(const std::filesystem::path& tree);

// The files that a reading's rows make. Throws if the hub would reject a row of its tables.
std::map<std::string, std::string> Written(const core::Reader& reader,
                                           const core::TreeReading& reading);

}  // namespace tunehub::test
