// A man page, in roff, of a program or one of its commands.
#pragma once

#include <string>

#include "core/cli/description.h"

namespace tunehub::cli {

// `program` is whose version and name the page has; `command` itself or one below it.
std::string ManPage(const Description& program, const Description& command);

}  // namespace tunehub::cli
