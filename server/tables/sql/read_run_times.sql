-- The runs' measurements, family by family, each in the order of the CSV.
SELECT t.family, t.gfx, t.cu_num, m.us, m.standing, m.line, m.family_version,
       CASE WHEN m.low > '-Infinity' THEN (m.high - m.low) / 2 / m.us ELSE 0 END AS reach
FROM run_row m
JOIN tuned t ON t.key = m.key AND t.provider = m.provider
WHERE m.of_run = ANY ($2::bigint[]) AND t.family = ANY ($1::smallint[])
  AND coalesce(m.reason, '') NOT LIKE 'shifted_columns:%'
ORDER BY array_position($1::smallint[], t.family), t.ord, m.candidate, m.of_run
