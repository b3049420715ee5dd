-- Like read_past, but only for the shape keys $3, by indexes whose first column is the key.
SELECT x.key, x.provider, x.standing, x.baseline, m.line, m.family_version, w.trusted
FROM (SELECT DISTINCT key FROM unnest($3::uuid[]) AS asked(key)) AS k
CROSS JOIN LATERAL (
  SELECT key, provider, measurement, standing, baseline, change AS from_change, NULL::bigint AS to_change
  FROM tuned WHERE key = k.key AND family = $1 AND measurement IS NOT NULL
  UNION ALL
  SELECT key, provider, measurement, standing, baseline, from_change, to_change
  FROM tuned_history WHERE key = k.key AND family = $1) AS x
JOIN revision f ON f.change = x.from_change AND f.number <= $2
LEFT JOIN revision u ON u.change = x.to_change
JOIN measurement m ON m.key = x.key AND m.id = x.measurement
JOIN run w ON w.id = m.run
WHERE x.to_change IS NULL OR u.number > $2
