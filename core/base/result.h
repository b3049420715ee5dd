// The result of a call that may fail: a value or an Error. A lack of memory, a bug and a lost
// database connection throw exceptions instead.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace tunehub::core {

// An error's location in the input, as far as known.
struct ErrorPlace {
  std::size_t row = 0;      // a file's line, or a row's index in an array, from 1; 0: none
  std::size_t field = 0;    // a field of that line, from 1; 0: none
  std::string column = {};  // the cell's column, or a column that the header lacks; "": none
  std::string member = {};  // JSON pointer: "/shapes/0/M"; "": none

  bool operator==(const ErrorPlace&) const = default;
};

struct Error {
  std::string code;       // stable, snake_case, for programs: "unknown_family"
  std::string detail;     // one sentence for people, with the place, the value and the limit
  ErrorPlace place = {};  // the place in `detail`, for programs

  // Returns the same error with "WHAT: " before its detail.
  Error In(std::string_view what) const { return {code, std::string(what) + ": " + detail}; }

  bool operator==(const Error&) const = default;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}

  bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }

  // Precondition of the next five functions: ok().
  const T& operator*() const& { return std::get<T>(state_); }
  T& operator*() & { return std::get<T>(state_); }
  T&& operator*() && { return std::get<T>(std::move(state_)); }
  const T* operator->() const { return &std::get<T>(state_); }
  T* operator->() { return &std::get<T>(state_); }

  // Precondition: !ok().
  const Error& error() const { return std::get<Error>(state_); }

 private:
  std::variant<T, Error> state_;
};

using Status = Result<std::monostate>;
inline Status Ok() {
  return std::monostate{};
}

}  // namespace tunehub::core
