-- Those of the keys that a search, or a candidate other than the default, measured since the job was created. The
-- default alone leaves a key a baseline, which still needs tuning.
SELECT DISTINCT m.key
FROM unnest($1::uuid[]) AS k(key)
JOIN in_force m ON m.key = k.key
JOIN batch b ON b.id = m.id >> 20
WHERE m.standing = 0
  AND (m.searched OR NOT m.is_default)
  AND b.received >= (SELECT created FROM job WHERE id = $2)
