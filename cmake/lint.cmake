# `lint`: clang-format would change nothing, and clang-tidy finds nothing in the product's own code.
# Not in `all`: it needs deploy/install-packages lint, and minutes.
add_custom_target(lint
  COMMAND sh -c "find . -name build -prune -o '(' -name '*.cpp' -o -name '*.h' ')' -print | xargs clang-format --dry-run --Werror"
  COMMAND run-clang-tidy -quiet -p ${CMAKE_BINARY_DIR} "^${CMAKE_SOURCE_DIR}/(core|kernels|dispatch|examples|agent|server)/"
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
  USES_TERMINAL VERBATIM)
