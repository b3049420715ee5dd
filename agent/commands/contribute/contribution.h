// What of measured rows an upstream tree does not have yet, in the files that it would go to, and
// what may not go there.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/family/family.h"
#include "core/family/targets.h"
#include "core/table/tuned_table.h"

namespace tunehub::agent {

// A measured row that is to be given back.
struct OfferedRow {
  std::string line;  // canonical, in the family's columns
  double us = 0;
  std::optional<double> before_us;  // what ran untuned took; nothing: nobody measured it
  // Of Offer::runs; nothing: nobody said.
  std::optional<std::size_t> run;
};

// Of rows of one place. A declared row has no time, which is NaN.
bool IsBetter(const OfferedRow& row, const OfferedRow& other);

struct FamilyOffer {
  const core::Family* family = nullptr;
  std::vector<OfferedRow> rows;  // one a key
};

// A row that is not given back, and why.
struct LeftOut {
  std::string family;
  std::string key;  // "gfx=gfx942 cu_num=304 M=16 N=1280 K=8192"
  std::string code, detail;
};

struct Offer {
  std::vector<FamilyOffer> families;
  std::vector<nlohmann::ordered_json> runs;  // as POST /runs takes them
  std::vector<LeftOut> left_out;
  std::string from;  // "http://hub:8080", "3 files"
};

struct ContributedFile {
  const core::Family* family = nullptr;
  std::string path;    // below the tree
  bool fresh = false;  // the tree has no such file
  std::string before;  // its bytes there
  std::string bytes;
  std::vector<OfferedRow> rows = {};    // that are new in it
  std::vector<std::string> notes = {};  // where the rest of it comes from, and by what rule
};

struct Contribution {
  std::vector<ContributedFile> files;
  std::vector<LeftOut> left_out;
  std::vector<std::string> checked;  // the guards that it was held against, as they are said
  std::vector<std::string> warnings;
  // What measurements that decided say of themselves, as POST /runs takes it.
  std::vector<nlohmann::ordered_json> runs;

  std::size_t rows() const;
  // Of other files of the same tree.
  void Add(Contribution other);
};

// "gfx=gfx942 cu_num=304 M=16 N=1280 K=8192": the key columns that say something.
std::string KeyOfLine(const core::Family& family, std::string_view line);

// The rows of a table without a word of what no lookup finds. Errors: those of ReadTunedTable.
core::Result<core::TunedTable> ReadRows(const core::Family& family, const core::Targets& targets,
                                        std::string_view csv);

}  // namespace tunehub::agent
