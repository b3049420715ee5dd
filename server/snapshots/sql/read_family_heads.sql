-- Servers run this query after each commit. So it needs only one index lookup per family, for a history of any
-- length.
SELECT f.id, f.written, f.evidence, h.number, h.token
FROM family f
LEFT JOIN LATERAL (SELECT number, token FROM revision_family JOIN revision USING (number)
                   WHERE family = f.id ORDER BY number DESC LIMIT 1) AS h ON true
