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
const core::Reader& ShippedReader(std::string_view name);  // throws where there is none

// $TUNEHUB_DATA/vllm, sglang or aiter/triton_configs, by default beside the repository; its JSON
// files, by path. Empty: not there.
std::filesystem::path RealTree(std::string_view reader);
std::vector<core::TreeEntry> RealFiles(std::string_view reader);
std::vector<core::TreeEntry> JsonFilesBelow(const std::filesystem::path& tree);

// One file's rows: the cells of each.
using FileRows = std::vector<std::vector<std::string>>;
// The rows of a reading by the path that its reader finds them by. Throws where a row of its
// tables cannot be typed as the hub does.
std::map<std::string, FileRows> RowsByPath(const core::Reader& reader,
                                           const core::TreeReading& reading);
// The files that a reading's rows make.
std::map<std::string, std::string> Written(const core::Reader& reader,
                                           const core::TreeReading& reading);

}  // namespace tunehub::test
