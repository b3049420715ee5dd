-- The next measurements after $1, $2, $3, in the order of the index. Leaves out shifted rows, whose line is their
-- original text under its own header.
SELECT m.id, m.key, m.run, m.candidate, m.us, m.error, m.family_version, m.standing, m.line, r.error_limit,
       t.family
FROM measurement m
JOIN tuned t ON t.key = m.key AND t.provider = m.provider
JOIN run r ON r.id = m.run
WHERE (m.key, m.run, m.candidate) > ($1::uuid, $2::bigint, $3::uuid)
  AND coalesce(m.reason, '') NOT LIKE 'shifted_columns:%'
ORDER BY m.key, m.run, m.candidate
LIMIT $4
