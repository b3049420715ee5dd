-- The measurements of a family, for judging again. Each row also has: the run's error limit; whether the run is an
-- import and trusted; whether the hub judges its kernels. The hub judges kernels of results of an API key without scope
-- admin, and of imports that are not upstream's own. Omits shifted rows, whose line is the original text under its own
-- header.
SELECT m.id, m.key, m.line, m.family_version, m.standing, coalesce(m.reason, ''), r.error_limit,
       r.source IS NOT NULL, r.trusted, coalesce(m.evidence::text, ''),
       coalesce(b.api_key <> 0 AND CASE b.kind WHEN 'results' THEN k.scope IS DISTINCT FROM 'admin'
                                               WHEN 'import' THEN NOT r.trusted END, false),
       m.is_default
FROM tuned t
JOIN measurement m ON m.key = t.key AND m.provider = t.provider
JOIN run r ON r.id = m.run
LEFT JOIN batch b ON b.id = m.id >> 20
LEFT JOIN api_key k ON k.id = b.api_key
WHERE t.family = $1 AND coalesce(m.reason, '') NOT LIKE 'shifted_columns:%'
ORDER BY m.id
