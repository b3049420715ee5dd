-- Servers run this query after each commit. So it needs only two index lookups per family, for a history of any length.
-- (A join inside the LIMIT would let PostgreSQL walk through all revisions to find a family that has none.)
SELECT f.id, f.written, f.evidence, h.number, h.token
FROM family f
LEFT JOIN LATERAL (SELECT number FROM revision_family WHERE family = f.id ORDER BY number DESC LIMIT 1) AS newest ON true
LEFT JOIN LATERAL (SELECT number, token FROM revision WHERE number = newest.number) AS h ON true
