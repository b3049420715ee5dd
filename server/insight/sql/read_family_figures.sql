-- Counts tuned rows of family $1 in force at revision $2, by target. $3: true if the family's shape keys name an
-- engine; then the rows of every engine are served by default. For a shape key's default, the time of the latest run
-- (by start) counts. This run must be stored and not reverted at that revision. Rows of a source count if they are in
-- the import that was in force at that revision. If there is a time of the default's whole operator (standing 8), it
-- counts instead. The query compares it with the time of the winner's whole operator, if that was measured. The query
-- uses current standings. Sums are numeric, so that their order does not matter. PostgreSQL fails if a ratio is too
-- large for a double, so the query clamps times to 1e-100..1e100.
WITH made AS (
  SELECT change FROM revision WHERE number = $2
), head AS (
  SELECT s.id AS source, max(r.id) AS run
  FROM made
  CROSS JOIN source s
  JOIN run r ON r.source = s.name
  WHERE EXISTS (SELECT FROM batch b WHERE b.run = r.id AND b.kind = 'import' AND b.id <= made.change)
    AND NOT EXISTS (SELECT FROM batch b WHERE b.run = r.id AND b.kind = 'revert' AND b.id <= made.change)
  GROUP BY s.id
), held AS (
  SELECT x.key, x.provider, x.measurement, f.number
  FROM (SELECT key, provider, measurement, change AS from_change, NULL::bigint AS to_change
        FROM tuned WHERE family = $1 AND standing = 0 AND NOT baseline
        UNION ALL
        SELECT key, provider, measurement, from_change, to_change
        FROM tuned_history WHERE family = $1 AND standing = 0 AND NOT baseline) AS x
  JOIN revision f ON f.change = x.from_change AND f.number <= $2
  LEFT JOIN revision u ON u.change = x.to_change
  WHERE x.to_change IS NULL OR u.number > $2
), said AS (
  SELECT DISTINCT ON (d.key, d.provider, d.is_default, CASE WHEN NOT d.is_default THEN d.candidate END)
         d.key, d.provider, d.candidate, d.is_default, d.standing, d.us
  FROM made
  CROSS JOIN measurement d
  JOIN run r ON r.id = d.run
  LEFT JOIN head ON head.source = d.source
  WHERE (d.is_default AND d.standing = 0 OR d.standing = 8) AND d.us > 0 AND d.us < 'Infinity' AND d.id < (made.change + 1) << 20
    AND d.key IN (SELECT key FROM tuned WHERE family = $1)
    AND CASE WHEN d.source IS NOT NULL THEN d.runs @> head.run
             ELSE NOT EXISTS (SELECT FROM batch b WHERE b.run = d.run AND b.kind = 'revert' AND b.id <= made.change) END
  ORDER BY d.key, d.provider, d.is_default, CASE WHEN NOT d.is_default THEN d.candidate END, d.standing DESC, r.started DESC, r.hash DESC, d.us
)
SELECT t.gfx, t.cu_num, count(*) AS tuned, count(d.us) AS measured,
       coalesce(sum(round(ln(least(greatest(d.us, 1e-100), 1e100) / least(greatest(coalesce(a.us, m.us), 1e-100), 1e100))::numeric, 9)), 0)::float8 AS log_speedups,
       percentile_disc(0.5) WITHIN GROUP (ORDER BY h.number) AS since
FROM held h
JOIN tuned t ON t.key = h.key AND t.provider = h.provider
LEFT JOIN said d ON d.key = h.key AND d.provider = h.provider AND d.is_default
LEFT JOIN measurement m ON m.key = h.key AND m.id = h.measurement AND d.us IS NOT NULL
LEFT JOIN said a ON a.key = h.key AND a.provider = h.provider AND NOT a.is_default AND a.candidate = m.candidate
  AND d.standing = 8
WHERE $3 OR t.provider = CASE WHEN t.gfx LIKE 'gfx%' THEN 0 ELSE 1 END
GROUP BY t.gfx, t.cu_num
ORDER BY t.gfx, t.cu_num
