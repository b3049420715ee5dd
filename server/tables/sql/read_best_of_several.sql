-- Like read_best_of_runs, for the keys $4, which several of the runs $6 measured. By the rule of rebuild_candidates,
-- a wrong row of an owner replaces the owner's earlier times. $7: true if unmeasured candidates do not count.
WITH judged AS MATERIALIZED (
  SELECT *, standing AS stands, CASE standing WHEN 2 THEN 2 WHEN 1 THEN 1 ELSE 0 END AS weight
  FROM (SELECT key, provider, candidate, id, us, error, low, high, standing, rank, owner, run_time, hash,
               bool_or(standing = 3) OVER later AS wrong_later, bool_or(standing = 0) OVER later AS right_later
        FROM in_order
        WHERE key = ANY ($4::uuid[]) AND counted_by = ANY ($6::bigint[]) AND standing < 4
          AND (key, provider, candidate) NOT IN (SELECT key, provider, candidate FROM candidate WHERE standing IN (6, 9))
        WINDOW later AS (PARTITION BY key, provider, candidate, owner ORDER BY run_time DESC, hash DESC)) AS followed
  WHERE CASE standing WHEN 0 THEN NOT wrong_later WHEN 3 THEN NOT right_later ELSE true END
),
@stand_by@, rivals AS (
  SELECT c.key, c.provider, c.is_right, c.count, r.*
  FROM (SELECT *, bool_or(coalesce(error <= $3::float8, true)) OVER one AS is_right,
               count(*) FILTER (WHERE stands < 2 OR NOT $7::boolean) OVER one AS count
        FROM stood
        WHERE stands < 3
        WINDOW one AS (PARTITION BY key, provider)) AS c
  LEFT JOIN LATERAL (SELECT candidate, measurement, stands AS standing, rank, run_time, hash AS run, us, error, low, high,
                            since_time, since_run, since_us, agreed
                     WHERE candidate = ANY ($2::uuid[]) AND coalesce(error <= $3::float8, true)) AS r ON true
),
@win@
SELECT b.key, b.provider, coalesce(b.standing, 0), coalesce(b.rank, 0), m.line, m.family_version,
       b.candidate IS NOT NULL AS fits, b.is_right, b.count
FROM winner b
JOIN tuned t ON t.key = b.key AND t.provider = b.provider
LEFT JOIN measurement m ON m.key = b.key AND m.candidate = b.candidate AND m.id = b.measurement
                       AND (t.measurement IS DISTINCT FROM m.id OR t.change > $5)
WHERE t.family = $1
