// Errors of the C API: a code, and a sentence that the thread keeps.
#pragma once

#include <exception>
#include <new>

#include "core/base/result.h"
#include "dispatch/tunehub_dispatch.h"

namespace tunehub::th {

// Keeps the error as this thread's last. `otherwise`: the code of an error that has none.
th_code Fail(const core::Error& error, th_code otherwise);
const char* LastError();

// Errors: null_argument, with the argument's name.
core::Status NotNull(const void* argument, const char* name);

// The code of the outcome of `call`, which returns a core::Status; never throws across the API.
template <typename Call>
th_code Guarded(th_code otherwise, Call&& call) noexcept {
  try {
    const core::Status status = call();
    return status.ok() ? TH_OK : Fail(status.error(), otherwise);
  } catch (const std::bad_alloc&) {
    return Fail({"out_of_memory", "the host's memory is full"}, TH_OUT_OF_MEMORY);
  } catch (const std::exception& error) {
    return Fail({"internal", error.what()}, TH_INTERNAL);
  }
}

}  // namespace tunehub::th
