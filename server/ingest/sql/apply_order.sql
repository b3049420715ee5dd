UPDATE tuned t SET ord = r.ord, relative = r.relative
FROM reordered r
WHERE t.key = r.key AND (t.ord, t.relative) IS DISTINCT FROM (r.ord, r.relative)
