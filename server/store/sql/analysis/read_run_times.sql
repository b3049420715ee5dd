-- What runs have measured of a family, in the order of the CSV.
SELECT t.gfx, t.cu_num, m.candidate, m.us, m.standing, m.line, m.family_version
FROM run_row m
JOIN tuned t ON t.key = m.key AND t.provider = m.provider
WHERE m.of_run = ANY ($2::bigint[]) AND t.family = $1
  AND coalesce(m.reason, '') NOT LIKE 'shifted_columns:%'
ORDER BY t.ord, m.candidate, m.of_run
