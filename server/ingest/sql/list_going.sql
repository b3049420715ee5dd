-- The first of them, in the order in which they are served; and how many there are.
SELECT f.name, t.gfx, t.cu_num, g.line, count(*) OVER ()
FROM going g
JOIN tuned t ON t.key = g.key AND t.provider = g.provider
JOIN family f ON f.id = t.family
ORDER BY f.name, t.ord, t.provider LIMIT $1
