-- The last revision of family $1 up to revision $2, and the digest of its table. (A join inside the LIMIT would let
-- PostgreSQL walk through all revisions.)
SELECT f.number, r.token, f.family_version, coalesce(f.body_sha256, '')
FROM (SELECT number, family_version, body_sha256 FROM revision_family
      WHERE family = $1 AND number <= $2 ORDER BY number DESC LIMIT 1) AS f
JOIN revision r USING (number)
