SELECT point, family, gfx, cu_num, tuned, measured, log_speedups, since
FROM point_family WHERE point > $1 ORDER BY point, family, gfx, cu_num
