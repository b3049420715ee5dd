-- StandOf of core/row/winner.h. Reads `judged`: the rows that count. Its column `stands` is their standing; rows with
-- the least `weight` come first. Makes `stood`: one row per candidate, with `measurement` and the last columns of the
-- table candidate. Uses windows only: PostgreSQL expects few rows, and would compute joins by slow nested loops.
latest AS (
  SELECT *, grade_of(stands, low) AS grade,
         row_number() OVER (PARTITION BY key, provider, candidate, weight, owner
                            ORDER BY grade_of(stands, low) = 2, run_time DESC, hash DESC) > 1 AS replaced
  FROM judged
), ordered AS (
  SELECT *, row_number() OVER best_first AS nth,
         grade = 0 AND first_value(us) OVER best_first BETWEEN low AND high AS holds
  FROM latest
  WINDOW best_first AS (PARTITION BY key, provider, candidate
                        ORDER BY replaced, weight, stands, grade = 2, CASE WHEN stands = 0 THEN us END,
                                 CASE WHEN stands = 0 THEN error END, rank, run_time DESC, hash DESC)
), sampled AS (
  SELECT *, grade = 0 AND count(*) FILTER (WHERE grade = 0) OVER one > 1 AS again,
         count(*) FILTER (WHERE holds) OVER one AS holding, first_value(id) OVER holding_first AS held,
         first_value(run_time) OVER oldest_first AS old_time, first_value(hash) OVER oldest_first AS old_run,
         first_value(us) OVER oldest_first AS old_us
  FROM ordered
  WINDOW one AS (PARTITION BY key, provider, candidate),
         oldest_first AS (PARTITION BY key, provider, candidate ORDER BY grade <> 0, run_time, hash),
         holding_first AS (PARTITION BY key, provider, candidate ORDER BY holds IS NOT TRUE, run_time, hash)
), stood AS (
  SELECT *, CASE WHEN again AND holding > 0 THEN held ELSE id END AS measurement,
         CASE WHEN again THEN old_time END AS since_time, CASE WHEN again THEN old_run END AS since_run,
         CASE WHEN again THEN old_us END AS since_us, again AND holding > 1 AS agreed
  FROM sampled
  WHERE nth = 1
)
