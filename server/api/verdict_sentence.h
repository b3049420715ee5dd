// A verdict in words, for the person who has to decide.
#pragma once

#include <string>

#include "server/service/tables/verdict.h"

namespace tunehub::api {

// "Not safe: 3 of 120 shapes that qwen3-32b asks for at TP 8 have no row, ..."
std::string SentenceOf(const service::Verdict& verdict, const service::VerdictQuestion& question);

}  // namespace tunehub::api
