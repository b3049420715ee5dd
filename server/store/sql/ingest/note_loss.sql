-- Notes that a write of owner $1 takes $3 keys' rows or times away from family $2, and $4 keys' rows. Answers
-- the family's name, how many keys it served before, and how many losses the owner's writes made within a day.
WITH old AS (
  DELETE FROM loss WHERE at < now() - interval '1 day'
), noted AS (
  INSERT INTO loss (owner, family, keys) VALUES ($1, $2, $3)
)
SELECT f.name,
       (SELECT count(*) FROM tuned WHERE family = $2 AND measurement IS NOT NULL) + $4,
       $3 + coalesce(sum(l.keys), 0)
FROM family f
LEFT JOIN loss l ON l.family = f.id AND l.owner = $1 AND l.at >= now() - interval '1 day'
WHERE f.id = $2
GROUP BY f.name
