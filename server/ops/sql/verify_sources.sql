-- Checks that only the latest import of a source that was not reverted is in force. A run without a source is in
-- force until it is reverted.
SELECT format('source %s has run %s in force, but its latest import that was not reverted is %s', s.name,
              coalesce(s.head::text, 'none'), coalesce(latest.id::text, 'none'))
FROM source s
LEFT JOIN LATERAL (SELECT max(id) AS id FROM run WHERE source = s.name AND reverted IS NULL) AS latest ON true
WHERE s.head IS DISTINCT FROM latest.id
UNION ALL
SELECT format('run %s %s, but is %s', r.id,
              CASE WHEN r.source IS NULL
                     THEN CASE WHEN r.reverted IS NULL THEN 'was not reverted' ELSE 'was reverted' END
                   WHEN s.id IS NULL THEN format('belongs to source %s, which is missing', r.source)
                   WHEN s.head = r.id THEN 'is the import in force of source ' || s.name
                   ELSE 'is not the import in force of source ' || s.name END,
              CASE WHEN r.active THEN 'active' ELSE 'not active' END)
FROM run r
LEFT JOIN source s ON s.name = r.source
WHERE r.active <> CASE WHEN r.source IS NULL THEN r.reverted IS NULL ELSE coalesce(s.head = r.id, false) END
   OR (r.source IS NOT NULL AND s.id IS NULL)
