// What a command line takes, as data.
#pragma once

#include <string>
#include <vector>

namespace tunehub::cli {

struct DescribedOption {
  std::vector<std::string> names;      // "-o", "--output"; a positional has one without a dash
  std::string help, fallback, env;     // fallback: the default that --help tells
  std::string value;                   // what it takes, in a word: "TEXT", "1 to 100"; a flag: ""
  std::vector<std::string> choices;    // the only values that it takes; none: others
  std::vector<std::string> suggested;  // what a shell proposes: these, or some of many
  bool positional = false, required = false;
  bool many = false;  // several values

  bool is_flag() const { return value.empty(); }
};

struct Description {
  std::string name;     // what is typed: "tunehub-agent pull"
  std::string summary;  // a few words; "": the first sentence of `about` will do
  std::string about, footer;
  std::string version;  // of a program
  std::vector<DescribedOption> options;
  std::vector<Description> commands;

  // The summary, or what stands for it.
  std::string headline() const {
    std::string text = summary.empty() ? about : summary;
    if (const auto dot = text.find(". "); dot != std::string::npos) text.resize(dot);
    if (text.ends_with('.')) text.pop_back();
    return text;
  }
  std::string last_word() const { return name.substr(name.rfind(' ') + 1); }
};

}  // namespace tunehub::cli
