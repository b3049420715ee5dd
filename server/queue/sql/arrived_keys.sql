-- The shape keys of $1 that were measured since the creation of job $2, by a search or with a candidate other than the
-- default. If only the default was measured, the key has a baseline and still needs tuning.
SELECT DISTINCT m.key
FROM unnest($1::uuid[]) AS k(key)
JOIN in_force m ON m.key = k.key
JOIN batch b ON b.id = m.id >> 20
WHERE m.standing = 0
  AND (m.searched OR NOT m.is_default)
  AND b.received >= (SELECT created FROM job WHERE id = $2)
