// What a request for a reader's file, or for its tree, asks for.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "server/service/registry/definitions.h"
#include "server/service/tables/tuned_query.h"

namespace tunehub::service {

struct FileQuery {
  const core::Family* family = nullptr;
  TunedQuery query;  // with `form`
  bool tree = false;
  // Of a file: the family that may hold it where `family` has no row of it; "": none.
  std::string other = {};
};

// `path` is the file's below the reader's folder; a blank in it may be a '+'. Parameters: those
// options of TunedQuery that choose among rows, family= (where the name is of several stores),
// triton= (of a path that names no folder, and of what from= takes; else of the runs), from= and
// borrow=. Errors: unknown_reader, and those of ParseFilePath and QueryOfForm.
core::Result<FileQuery> ParseFileQuery(const Definitions& definitions, std::string_view reader,
                                       std::string_view path, const Parameters& parameters);

// Of all files of one store: family= says which, the reader's variable otherwise. device= is a
// product, which stands for all its names, or one name; other key columns filter, too.
core::Result<FileQuery> ParseTreeQuery(const Definitions& definitions, std::string_view reader,
                                       const Parameters& parameters);

}  // namespace tunehub::service
