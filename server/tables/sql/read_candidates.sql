SELECT c.key, c.provider, c.standing, c.us, c.error, c.candidate, c.run_time, c.run, m.line, m.family_version,
       c.rank
FROM tuned t
JOIN candidate c ON c.key = t.key AND c.provider = t.provider
JOIN measurement m ON m.key = c.key AND m.id = c.measurement
WHERE t.family = $1 AND c.standing < 3
