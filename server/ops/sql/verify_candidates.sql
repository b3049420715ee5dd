SELECT format('candidate %s of shape key %s (provider %s) is stored with %s, but the measurements give %s', candidate,
              key, provider,
              CASE WHEN s.measurement IS NULL THEN 'nothing'
                   ELSE format('measurement %s, %s us, standing %s', s.measurement, s.us, s.standing) END,
              CASE WHEN n.measurement IS NULL THEN 'nothing'
                   ELSE format('measurement %s, %s us, standing %s', n.measurement, n.us, n.standing) END)
FROM stored_candidate s
FULL JOIN candidate n USING (key, provider, candidate)
WHERE (s.measurement, s.run, s.run_time, s.us, s.error, s.standing, s.low, s.high, s.since_run, s.since_us, s.agreed)
      IS DISTINCT FROM (n.measurement, n.run, n.run_time, n.us, n.error, n.standing, n.low, n.high, n.since_run, n.since_us,
                        n.agreed)
ORDER BY key, provider, candidate
