SELECT format('family %s has no line of candidate %s', family, candidate)
FROM (SELECT DISTINCT t.family, c.candidate
      FROM stored_candidate c JOIN tuned t ON t.key = c.key AND t.provider = c.provider) AS met
WHERE NOT EXISTS (SELECT FROM candidate_line l WHERE l.family = met.family AND l.candidate = met.candidate)
ORDER BY family, candidate
