-- Of these keys, those for which a search, or another candidate than the default, was measured since the
-- job was made: the default alone leaves a key a baseline, which is still to be tuned.
SELECT DISTINCT m.key
FROM unnest($1::uuid[]) AS k(key)
JOIN in_force m ON m.key = k.key
JOIN batch b ON b.id = m.id >> 20
WHERE m.standing = 0
  AND (m.searched OR NOT m.is_default)
  AND b.received >= (SELECT created FROM job WHERE id = $2)
