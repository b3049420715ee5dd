// gzip and zstd for tests.
#pragma once

#include <string>

namespace tunehub::test {

std::string Gzip(const std::string& text);
// Throw where the bytes are none.
std::string Gunzip(const std::string& bytes);
std::string Unzstd(const std::string& bytes);

}  // namespace tunehub::test
