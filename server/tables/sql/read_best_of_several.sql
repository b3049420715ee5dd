-- As read_best_of_runs, of keys $4 that several of the runs $6 measured, as rebuild_candidates says: an owner's wrong row
-- replaces its earlier time. $7: unmeasured candidates do not count.
WITH stands AS MATERIALIZED (
  SELECT DISTINCT ON (key, provider, candidate) *
  FROM (SELECT DISTINCT ON (m.key, m.provider, m.candidate, weight, m.owner)
               m.key, m.provider, m.candidate, m.standing, m.us, m.error, m.rank, m.run_time, m.hash, m.id, weight
        FROM tuned t
        JOIN in_order m ON m.key = t.key AND m.provider = t.provider
        CROSS JOIN LATERAL (SELECT CASE m.standing WHEN 2 THEN 2 WHEN 1 THEN 1 ELSE 0 END AS weight) AS w
        WHERE t.family = $1 AND t.key = ANY ($4::uuid[]) AND m.counted_by = ANY ($6::bigint[]) AND m.standing < 4
        ORDER BY m.key, m.provider, m.candidate, weight, m.owner, m.run_time DESC, m.hash DESC) AS latest
  ORDER BY key, provider, candidate, weight, standing, CASE WHEN standing = 0 THEN us END,
           CASE WHEN standing = 0 THEN error END, rank, run_time DESC, hash DESC
), best AS MATERIALIZED (
  SELECT DISTINCT ON (s.key, s.provider) s.key, s.provider, s.candidate, s.standing, s.rank, s.id,
         is_right AND s.candidate = ANY ($2::uuid[]) AS fits, bool_or(is_right) OVER one AS is_right,
         count(*) FILTER (WHERE s.standing < 2 OR NOT $7::boolean) OVER one AS count
  FROM stands s
  CROSS JOIN LATERAL (SELECT coalesce(s.error <= $3::float8, true) AS is_right) AS e
  WHERE s.standing < 3
  WINDOW one AS (PARTITION BY s.key, s.provider)
  ORDER BY s.key, s.provider, is_right AND s.candidate = ANY ($2::uuid[]) DESC, s.standing,
           CASE WHEN s.standing > 0 THEN s.rank END, CASE WHEN s.standing = 1 THEN -s.run_time END,
           CASE WHEN s.standing = 1 THEN s.hash END, CASE WHEN s.standing <> 1 THEN s.us END,
           CASE WHEN s.standing <> 1 THEN s.error END, s.candidate, s.hash
)
SELECT b.key, b.provider, b.standing, b.rank, m.line, m.family_version, b.fits, b.is_right, b.count
FROM best b
JOIN tuned t ON t.key = b.key AND t.provider = b.provider
LEFT JOIN measurement m ON m.key = b.key AND m.candidate = b.candidate AND m.id = b.id AND b.fits
                       AND (t.measurement IS DISTINCT FROM m.id OR t.change > $5)
