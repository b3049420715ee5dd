-- Servers run this after each commit, so it takes one index lookup per family, however long the history is.
SELECT f.id, h.number, r.token
FROM family f
CROSS JOIN LATERAL (SELECT number FROM revision_family
                    WHERE family = f.id ORDER BY number DESC LIMIT 1) AS h
JOIN revision r USING (number)
