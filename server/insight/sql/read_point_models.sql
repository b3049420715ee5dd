SELECT point, model, gfx, cu_num, tp, buckets, covered, shapes, found, baseline, unmeasured, missing
FROM point_model WHERE point > $1 ORDER BY point, model, gfx, cu_num
