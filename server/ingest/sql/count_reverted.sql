-- By family: the keys whose served row a batch ($1) changed, and those of them that nobody holds since.
SELECT f.name, count(*), count(*) FILTER (WHERE t.measurement IS NULL)
FROM tuned t JOIN family f ON f.id = t.family
WHERE t.change = $1
GROUP BY f.name
ORDER BY f.name
