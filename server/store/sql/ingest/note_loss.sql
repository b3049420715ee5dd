-- Notes what a write of owner $1 takes away from family $2: $3 keys, of which $4 lose their row. Answers the
-- family's name, the keys that it served a day ago as far as this owner is concerned, and those of them that
-- the owner's writes have taken away since.
WITH old AS (
  DELETE FROM loss WHERE at < now() - interval '1 day'
), noted AS (
  INSERT INTO loss (owner, family, keys, emptied) VALUES ($1, $2, $3, $4)
)
SELECT f.name,
       (SELECT count(*) FROM tuned WHERE family = $2 AND measurement IS NOT NULL) + $4 + coalesce(sum(l.emptied), 0),
       $3 + coalesce(sum(l.keys), 0)
FROM family f
LEFT JOIN loss l ON l.family = f.id AND l.owner = $1 AND l.at >= now() - interval '1 day'
WHERE f.id = $2
GROUP BY f.name
