SELECT DISTINCT f.name, t.gfx, t.cu_num
FROM run_row m
JOIN tuned t ON t.key = m.key AND t.provider = m.provider
JOIN family f ON f.id = t.family
WHERE m.of_run = $1
ORDER BY 1, 2, 3
