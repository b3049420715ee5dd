-- True if a tuned shape key of the target has more than one measured candidate.
SELECT EXISTS (SELECT FROM tuned t
               JOIN candidate c ON c.key = t.key AND c.provider = t.provider
               WHERE t.family = $1 AND t.gfx = $2 AND t.cu_num = $3 AND t.standing = 0 AND NOT t.baseline
                 AND c.standing = 0 AND c.measurement <> t.measurement)
