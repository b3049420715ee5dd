// What stands behind a CommandLine: CLI11's parser. For the .cpp files of this folder alone.
#pragma once

#include <CLI/CLI.hpp>
#include <deque>

#include "core/cli/command_line.h"

namespace tunehub::cli {

struct Option::Declared {
  CLI::Option* option;
  std::vector<std::string> choices, suggested;
  std::string limits;
};

struct CommandLine::State {
  std::string name, version;
  std::unique_ptr<CLI::App> own;  // null: a command's is its parent's
  CLI::App* app;
  std::deque<Option::Declared> declared;  // Options point into it
  std::vector<std::unique_ptr<CommandLine>> commands;
};

}  // namespace tunehub::cli
