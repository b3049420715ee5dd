-- Like read_best_of_runs, for the keys $4, which several of the runs $6 measured. By the rule of rebuild_candidates,
-- a wrong row of an owner replaces the owner's earlier times. $7: true if unmeasured candidates do not count.
WITH judged AS MATERIALIZED (
  SELECT *, standing AS stands, CASE standing WHEN 2 THEN 2 WHEN 1 THEN 1 ELSE 0 END AS weight
  FROM (SELECT m.*, bool_or(m.standing = 3) OVER later AS wrong_later, bool_or(m.standing = 0) OVER later AS right_later
        FROM tuned t
        JOIN in_order m ON m.key = t.key AND m.provider = t.provider
        WHERE t.family = $1 AND t.key = ANY ($4::uuid[]) AND m.counted_by = ANY ($6::bigint[]) AND m.standing < 4
          AND (m.key, m.provider, m.candidate) NOT IN (SELECT key, provider, candidate FROM candidate WHERE standing IN (6, 9))
        WINDOW later AS (PARTITION BY m.key, m.provider, m.candidate, m.owner
                         ORDER BY m.run_time DESC, m.hash DESC)) AS followed
  WHERE CASE standing WHEN 0 THEN NOT wrong_later WHEN 3 THEN NOT right_later ELSE true END
),
@stand_by@, fitting AS MATERIALIZED (
  SELECT *, is_right AND candidate = ANY ($2::uuid[]) AS fits
  FROM stood
  CROSS JOIN LATERAL (SELECT coalesce(error <= $3::float8, true) AS is_right) AS e
  WHERE stands < 3
), rivals AS (
  SELECT key, provider, candidate, measurement, stands AS standing, rank, run_time, hash AS run, us, error, low, high,
         since_time, since_run, since_us, agreed
  FROM fitting
  WHERE fits
),
@win@, counted AS (
  SELECT key, provider, bool_or(is_right) AS is_right, count(*) FILTER (WHERE stands < 2 OR NOT $7::boolean) AS count
  FROM fitting
  GROUP BY key, provider
)
SELECT c.key, c.provider, coalesce(b.standing, 0), coalesce(b.rank, 0), m.line, m.family_version,
       b.key IS NOT NULL AS fits, c.is_right, c.count
FROM counted c
JOIN tuned t ON t.key = c.key AND t.provider = c.provider
LEFT JOIN winner b ON b.key = c.key AND b.provider = c.provider
LEFT JOIN measurement m ON m.key = b.key AND m.candidate = b.candidate AND m.id = b.measurement
                       AND (t.measurement IS DISTINCT FROM m.id OR t.change > $5)
