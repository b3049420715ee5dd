/* The header as a C program sees it. */
#ifndef TUNEHUB_TESTS_DISPATCH_C_API_H
#define TUNEHUB_TESTS_DISPATCH_C_API_H

#ifdef __cplusplus
extern "C" {
#endif

/* Opens a table, finds a row and closes all again: 0, or the line of this file that was not met. */
int th_test_from_c(void);

#ifdef __cplusplus
}
#endif

#endif
