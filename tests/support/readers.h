// The repository's readers, and the engines' real files if they are present.
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

// $TUNEHUB_DATA/vllm, sglang or aiter/triton_configs. Both functions return nothing if it is
// absent.
std::filesystem::path RealTree(std::string_view reader);
std::vector<core::TreeEntry> RealFiles(std::string_view reader);
std::vector<core::TreeEntry> JsonFilesBelow(const std::filesystem::path& tree);

// The files made from a reading's rows. Throws if the hub would reject a row of its tables.
std::map<std::string, std::string> Written(const core::Reader& reader,
                                           const core::TreeReading& reading);

}  // namespace tunehub::test
