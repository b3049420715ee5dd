-- The measurements of a family, to judge them again. Each row also has the run's error limit, if the run is an import
-- and trusted, and if the hub judges its kernels. The hub judges kernels of results by an API key without the scope
-- admin, and of imports that are not from upstream. Leaves out shifted rows, whose line is the original text under
-- its own header.
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
