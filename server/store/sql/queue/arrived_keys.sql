-- Of these keys, those that something else than the default was measured for since the job was made.
SELECT DISTINCT m.key
FROM unnest($1::uuid[]) AS k(key)
JOIN measurement m ON m.key = k.key
JOIN batch b ON b.id = m.id >> 20
JOIN run r ON r.id = m.run
WHERE r.active AND m.standing = 0
  AND m.evidence ->> 'reason' IS DISTINCT FROM 'default'
  AND b.received >= (SELECT created FROM job WHERE id = $2)
