/* The C API's header in a C program. */
#ifndef TUNEHUB_TESTS_DISPATCH_C_API_H
#define TUNEHUB_TESTS_DISPATCH_C_API_H

#ifdef __cplusplus
extern "C" {
#endif

/* Opens a table, finds a row and closes everything. Returns 0, or the line of c_api.c that failed.
 */
int th_test_from_c(void);

#ifdef __cplusplus
}
#endif

#endif
