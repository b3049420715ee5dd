-- For judging again: what was measured in a family, with its run's error limit, and whose word it is. Not shifted rows: their
-- line is the text they came as, under a header of its own.
SELECT m.id, m.key, m.line, m.family_version, m.standing, coalesce(m.reason, ''), r.error_limit,
       r.source IS NOT NULL, r.trusted, coalesce(m.evidence::text, '')
FROM tuned t
JOIN measurement m ON m.key = t.key AND m.provider = t.provider
JOIN run r ON r.id = m.run
WHERE t.family = $1 AND coalesce(m.reason, '') NOT LIKE 'shifted_columns:%'
ORDER BY m.id
