-- What speed-ups are made of: of the keys that more than one candidate competes for and that are tuned the
-- times of the winner, of defaults, and of the candidates $3. $2 as in read_times. No measurement is read but
-- by the index of the defaults: there are as many as nobody wants to read.
SELECT t.key, t.provider, c.candidate, c.us, c.measurement = t.measurement AS won,
       d.id IS NOT NULL AS is_default, coalesce(r.provenance ->> 'campaign', '') AS campaign
FROM (SELECT t.key, t.provider
      FROM tuned t
      JOIN candidate c ON c.key = t.key AND c.provider = t.provider
      WHERE t.family = $1 AND c.standing = 0 AND NOT t.baseline
      GROUP BY t.key, t.provider
      HAVING count(*) > 1) AS many
JOIN tuned t ON t.key = many.key AND t.provider = many.provider
JOIN candidate c ON c.key = t.key AND c.provider = t.provider
LEFT JOIN measurement d ON d.key = c.key AND d.id = c.measurement AND d.is_default
LEFT JOIN run r ON r.hash = c.run AND c.measurement = t.measurement
WHERE c.standing = 0 AND ($2 OR t.provider = CASE WHEN t.gfx LIKE 'gfx%' THEN 0 ELSE 1 END)
  AND (c.measurement = t.measurement OR d.id IS NOT NULL OR c.candidate = ANY ($3::uuid[]))
ORDER BY t.ord, t.provider, c.us, c.candidate
