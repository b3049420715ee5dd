// tunehub-agent-worker FAMILIES: one line of JSON in, one line of JSON out, until its input ends.
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "agent/worker/worker.h"
#include "core/families.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: tunehub-agent-worker FAMILIES_FOLDER; tunehub-agent tune starts it\n";
    return 2;
  }
  const auto families = tunehub::core::Families::Load(argv[1]);
  if (!families.ok()) {
    std::cerr << "tunehub-agent-worker: " << families.error().detail << '\n';
    return 2;
  }
  tunehub::agent::worker::Worker worker(*families);
  for (std::string line; std::getline(std::cin, line);) {
    const auto request = nlohmann::json::parse(line, nullptr, false);
    // What a kernel wrote into a text might be no UTF-8.
    std::cout << worker.Answer(request).dump(-1, ' ', false,
                                             nlohmann::json::error_handler_t::replace)
              << std::endl;
  }
  return 0;
}
