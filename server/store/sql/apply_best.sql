-- Puts the chosen candidates in force. A key whose served line and standing stay the same only moves
-- its pointer: nothing that anybody can fetch has changed, so it makes no history and no revision.
-- Answers how many keys changed, and how many of those this batch now holds ($2: its first id).
WITH moved AS (
  SELECT t.key, t.provider, t.family, t.measurement AS old_measurement, t.standing AS old_standing,
         t.why AS old_why, t.change AS old_change, b.candidate, b.measurement, b.standing, b.why,
         (o.line IS DISTINCT FROM n.line OR t.standing IS DISTINCT FROM b.standing
          OR o.family_version IS DISTINCT FROM n.family_version) AS differs
  FROM best b
  JOIN tuned t ON t.key = b.key AND t.provider = b.provider
  LEFT JOIN measurement o ON o.key = t.key AND o.id = t.measurement
  LEFT JOIN measurement n ON n.key = b.key AND n.id = b.measurement
  WHERE t.measurement IS DISTINCT FROM b.measurement OR t.standing IS DISTINCT FROM b.standing
     OR t.why IS DISTINCT FROM b.why
), history AS (
  INSERT INTO tuned_history (key, provider, family, measurement, standing, why, from_change, to_change)
  SELECT key, provider, family, old_measurement, old_standing, old_why, old_change, $1
  FROM moved
  WHERE differs AND old_measurement IS NOT NULL AND old_change <> $1
), applied AS (
  UPDATE tuned t
  SET candidate = m.candidate, measurement = m.measurement, standing = m.standing, why = m.why,
      change = CASE WHEN m.differs THEN $1 ELSE t.change END
  FROM moved m
  WHERE t.key = m.key AND t.provider = m.provider
  RETURNING m.family, m.differs, m.measurement, m.old_change
)
SELECT family, count(*) FILTER (WHERE differs AND old_change <> $1),
       count(*) FILTER (WHERE measurement >= $2 AND differs AND old_change <> $1)
FROM applied
GROUP BY family
