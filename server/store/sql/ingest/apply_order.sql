UPDATE tuned t SET ord = r.ord FROM reordered r WHERE t.key = r.key AND t.ord <> r.ord
