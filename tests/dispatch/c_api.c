/* Uses the C API from C11, as an engine does. */
#include "tests/dispatch/c_api.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "dispatch/tunehub_dispatch.h"

#define EXPECT(condition) \
  do {                    \
    if (!(condition)) return __LINE__; \
  } while (0)

static const char kCsv[] =
    "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
    "gfx942,304,48,2048,3072,ck,8,2,20.5,a_kernel,2.61,1304.22,0.0\n";

int th_test_from_c(void) {
  th_table* table = NULL;
  th_layer* layer = NULL;
  th_table_info info;
  th_answer answer;
  const char* text = NULL;
  const th_shape shape = {.batch = 0, .n = 2048, .k = 3072, .columns = NULL};

  EXPECT(strcmp(th_version(), "0.1.0") == 0);
  EXPECT(th_open_text(kCsv, strlen(kCsv), "a8w8_blockscale", NULL, &table) == TH_OK);
  EXPECT(th_info(table, &info) == TH_OK);
  EXPECT(strcmp(info.family, "a8w8_blockscale") == 0);
  EXPECT(info.rows == 1 && info.left_out == 0 && strcmp(info.why, "") == 0);
  EXPECT(th_layer_open(table, "gfx942:sramecc+:xnack-", 0, &shape, &layer) == TH_OK);
  th_close(table); /* the layer has copied everything it needs */

  EXPECT(th_find(layer, 33, &answer) == TH_OK);
  EXPECT(answer.found == 1 && strcmp(answer.step, "gl0") == 0 && answer.m == 48);
  EXPECT(strcmp(answer.kernel_name, "a_kernel") == 0 && strcmp(answer.libtype, "ck") == 0);
  EXPECT(answer.split_k == 2 && fabs(answer.us - 20.5) < 1e-9 && answer.own_kernel == 0);
  EXPECT(th_cell(layer, answer.row, "bw", &text) == TH_OK && strcmp(text, "1304.22") == 0);

  EXPECT(th_find(layer, 100, &answer) == TH_OK);
  EXPECT(answer.found == 0 && strcmp(answer.step, "default") == 0 && answer.m == 100);
  EXPECT(strcmp(answer.kernel_name, "") == 0 && isnan(answer.us));

  EXPECT(th_find(NULL, 1, &answer) == TH_BAD_ARGUMENT);
  EXPECT(strcmp(th_last_error(), "null_argument: layer is a null pointer") == 0);
  th_layer_close(layer);
  th_layer_close(NULL);
  th_close(NULL);
  return 0;
}
