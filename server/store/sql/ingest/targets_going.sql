SELECT DISTINCT f.name, t.gfx, t.cu_num
FROM going g
JOIN tuned t ON t.key = g.key AND t.provider = g.provider
JOIN family f ON f.id = t.family
ORDER BY 1, 2, 3
