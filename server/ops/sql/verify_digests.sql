-- The digests of each family's newest rendered revision first, then all other digests in random order. So several
-- partial verifications check different digests.
SELECT f.name, d.family, d.number, d.is_newest
FROM (SELECT *, row_number() OVER (PARTITION BY family ORDER BY number DESC) = 1 AS is_newest
      FROM revision_family WHERE body_sha256 IS NOT NULL) AS d
JOIN family f ON f.id = d.family
ORDER BY d.is_newest DESC, random()
