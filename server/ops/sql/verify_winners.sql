SELECT format('the tuned row of shape key %s (%s, %s:%s, provider %s) is %s, but the measurements give %s',
              s.key, f.name, s.gfx, s.cu_num, s.provider,
              CASE WHEN s.measurement IS NULL THEN 'no row'
                   ELSE format('measurement %s of candidate %s, standing %s, reason %s, %s', s.measurement,
                               s.candidate, s.standing, coalesce(s.why::text, 'none'),
                               CASE WHEN s.baseline THEN 'a baseline' ELSE 'tuned' END) END,
              CASE WHEN n.measurement IS NULL THEN 'no row'
                   ELSE format('measurement %s of candidate %s, standing %s, reason %s, %s', n.measurement,
                               b.candidate, n.standing, coalesce(n.why::text, 'none'),
                               CASE WHEN n.baseline THEN 'a baseline' ELSE 'tuned' END) END)
FROM stored_tuned s
JOIN tuned n ON n.key = s.key AND n.provider = s.provider
JOIN best b ON b.key = s.key AND b.provider = s.provider
LEFT JOIN family f ON f.id = s.family
WHERE (s.candidate, s.measurement, s.standing, s.why, s.baseline)
      IS DISTINCT FROM (b.candidate, n.measurement, n.standing, n.why, n.baseline)
ORDER BY s.key, s.provider
