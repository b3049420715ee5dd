-- For judging again: everything ever measured in a family, with its run's error limit.
SELECT m.id, m.key, m.line, m.family_version, m.standing, coalesce(m.reason, ''), r.error_limit
FROM tuned t
JOIN measurement m ON m.key = t.key AND m.provider = t.provider
JOIN run r ON r.id = m.run
WHERE t.family = $1
ORDER BY m.id
