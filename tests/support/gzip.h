#pragma once

#include <string>

namespace tunehub::test {

std::string Gzip(const std::string& text);
// Both functions throw if the bytes are not in their format.
std::string Gunzip(const std::string& bytes);
std::string Unzstd(const std::string& bytes);

}  // namespace tunehub::test
