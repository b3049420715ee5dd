-- Checks that the ranges of a source's row begin and end at imports of that source.
SELECT format('measurement %s of shape key %s: its runs %s contain run %s, which is not an import of source %s', m.id,
              m.key,
              m.runs, e.run, s.name)
FROM measurement m
JOIN source s ON s.id = m.source
CROSS JOIN LATERAL (SELECT lower(part) AS run FROM unnest(m.runs) AS part
                    UNION
                    SELECT upper(part) FROM unnest(m.runs) AS part WHERE NOT upper_inf(part)) AS e
LEFT JOIN run r ON r.id = e.run AND r.source = s.name
WHERE r.id IS NULL
ORDER BY m.id, e.run
