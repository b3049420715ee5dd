// Errors of the C API: a code, and a message that the library stores per thread.
#pragma once

#include <exception>
#include <new>

#include "core/base/result.h"
#include "dispatch/tunehub_dispatch.h"

namespace tunehub::th {

// Stores the error as this thread's last error. `otherwise`: the th_code for an error that has no
// th_code of its own.
th_code Fail(const core::Error& error, th_code otherwise);
const char* LastError();

// Errors: null_argument, with the argument's name.
core::Status NotNull(const void* argument, const char* name);

// Returns the code for the result of `call`, which returns a core::Status. No exception leaves the
// API.
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
