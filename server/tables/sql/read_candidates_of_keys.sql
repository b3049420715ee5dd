SELECT c.key, c.provider, c.standing, c.us, c.error, c.candidate, c.run_time, c.run, m.line, m.family_version,
       c.rank
FROM unnest($1::uuid[]) AS k(key)
JOIN candidate c ON c.key = k.key
JOIN measurement m ON m.key = c.key AND m.id = c.measurement
WHERE c.standing < 3
