// Whether anybody is there, asked by a connection of its own.
#pragma once

#include <atomic>
#include <chrono>
#include <string>

namespace tunehub::store {

// False where nothing came from the URL's one host within the limit, or somebody began to speak and
// did not go on. True where a process of PostgreSQL's has come to the point of taking statements,
// and where it was refused: who refuses is there. True, too, once `stopping` is.
bool Answers(const std::string& url, std::chrono::milliseconds limit,
             const std::atomic<bool>& stopping);

}  // namespace tunehub::store
