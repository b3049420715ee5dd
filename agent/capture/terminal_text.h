// Text that fits a terminal.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>

#include "agent/capture/explanation.h"

namespace tunehub::agent {

inline constexpr std::size_t kTextColumns = 98;

// Prose, which ends a line.
void PrintWrapped(std::ostream& out, std::string_view indent, std::string_view text);

// A shell's command, broken where a shell goes on with the next line: an option keeps its value
// beside it, and a command its name.
void PrintCommand(std::ostream& out, std::string_view line);

// "1 shape", "2 shapes"
std::string Counted(std::size_t count, std::string_view one, std::string_view many);

// What they need, where they are although none is found, and what is missing.
void PrintRows(std::ostream& out, const core::Targets& targets, const FamilyPart& part);

}  // namespace tunehub::agent
