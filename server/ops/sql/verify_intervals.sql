-- Checks that a key's intervals begin and end at revisions of its family and do not overlap. The last interval ends
-- when the key loses its row.
WITH span AS (
  SELECT i.*, lead(from_change) OVER (PARTITION BY key, provider ORDER BY from_change, to_change) AS next
  FROM stored_interval i
), wrong AS (
  SELECT s.key, s.provider, s.from_change,
         format('begins at batch %s, which made no revision of its family', s.from_change) AS says
  FROM span s
  WHERE NOT EXISTS (SELECT FROM revision r JOIN revision_family f USING (number)
                    WHERE r.change = s.from_change AND f.family = s.family)
  UNION ALL
  SELECT s.key, s.provider, s.from_change,
         format('ends at batch %s, which made no revision of its family', s.to_change)
  FROM span s
  WHERE s.to_change IS NOT NULL
    AND NOT EXISTS (SELECT FROM revision r JOIN revision_family f USING (number)
                    WHERE r.change = s.to_change AND f.family = s.family)
  UNION ALL
  SELECT key, provider, from_change, format('begins at batch %s and ends at batch %s', from_change, to_change)
  FROM span WHERE from_change >= to_change
  UNION ALL
  SELECT key, provider, from_change,
         format('lasts from batch %s to %s, but the next interval begins at batch %s', from_change,
                coalesce(to_change::text, 'now'), next)
  FROM span WHERE next < coalesce(to_change, next + 1)
  UNION ALL
  -- A key may have no row for some time. Then the revisions at both ends of that time count the key.
  SELECT s.key, s.provider, s.from_change,
         format('ends at batch %s, but the next interval begins only at batch %s', to_change, next)
  FROM span s
  WHERE to_change < next
    AND EXISTS (SELECT FROM revision r JOIN revision_family f USING (number)
                LEFT JOIN stored_changes c ON c.family = f.family AND c.change = r.change
                WHERE f.family = s.family AND r.change IN (s.to_change, s.next)
                  AND f.changed <> coalesce(c.keys, 0))
  UNION ALL
  SELECT t.key, t.provider, t.change,
         format('ends at batch %s, but the shape key lost its row at batch %s', h.ends, t.change)
  FROM stored_tuned t
  JOIN (SELECT key, provider, max(to_change) AS ends FROM stored_history GROUP BY key, provider) AS h
    USING (key, provider)
  WHERE t.measurement IS NULL AND t.change <> h.ends
)
SELECT format('the history of shape key %s (provider %s): %s', key, provider, 'an interval ' || says)
FROM wrong
ORDER BY key, provider, from_change
