SELECT m.id, m.run, m.candidate, m.provider, m.us, m.error, m.standing, coalesce(m.reason, '') AS reason,
       m.line, coalesce(m.evidence::text, '') AS evidence, m.family_version,
       c.measurement IS NOT NULL AS competes,
       CASE WHEN t.measurement = m.id THEN t.why END AS won
FROM measurement m
LEFT JOIN candidate c ON c.key = m.key AND c.provider = m.provider AND c.measurement = m.id
LEFT JOIN tuned t ON t.key = m.key AND t.provider = m.provider
WHERE m.key = $1 AND t.family = $2
ORDER BY m.provider, m.standing, m.us, m.error, m.id
