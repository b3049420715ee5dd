-- StandOf of core/row/winner.h. Reads `judged`: the rows that count. Its column `stands` is their standing; rows with
-- the least `weight` come first. Makes `stood`: one row per candidate, with `measurement` and the last columns of the
-- table candidate.
latest AS (
  SELECT DISTINCT ON (key, provider, candidate, weight, owner) *, grade_of(stands, low) AS grade
  FROM judged
  ORDER BY key, provider, candidate, weight, owner, grade_of(stands, low) = 2, run_time DESC, hash DESC
), first AS MATERIALIZED (
  SELECT DISTINCT ON (key, provider, candidate) *
  FROM latest
  ORDER BY key, provider, candidate, weight, stands, grade = 2, CASE WHEN stands = 0 THEN us END,
           CASE WHEN stands = 0 THEN error END, rank, run_time DESC, hash DESC
), sampled AS (
  SELECT f.key, f.provider, f.candidate,
         (array_agg(j.id ORDER BY j.run_time, j.hash) FILTER (WHERE f.us BETWEEN j.low AND j.high))[1] AS held,
         count(*) FILTER (WHERE f.us BETWEEN j.low AND j.high) > 1 AS agreed,
         (array_agg(j.run_time ORDER BY j.run_time, j.hash))[1] AS since_time,
         (array_agg(j.hash ORDER BY j.run_time, j.hash))[1] AS since_run,
         (array_agg(j.us ORDER BY j.run_time, j.hash))[1] AS since_us
  FROM first f
  JOIN judged j ON j.key = f.key AND j.provider = f.provider AND j.candidate = f.candidate
  WHERE f.grade = 0 AND grade_of(j.stands, j.low) = 0
  GROUP BY f.key, f.provider, f.candidate
  HAVING count(*) > 1
), stood AS (
  SELECT f.*, coalesce(s.held, f.id) AS measurement, s.since_time, s.since_run, s.since_us,
         coalesce(s.agreed, false) AS agreed
  FROM first f
  LEFT JOIN sampled s ON s.key = f.key AND s.provider = f.provider AND s.candidate = f.candidate
)
