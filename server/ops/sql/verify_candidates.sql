SELECT format('candidate %s of shape key %s (provider %s) is stored with %s, but the measurements give %s', candidate,
              key, provider,
              CASE WHEN s.measurement IS NULL THEN 'nothing'
                   ELSE format('measurement %s, %s us, standing %s, unconfirmed %s', s.measurement, s.us, s.standing,
                               coalesce(s.unconfirmed::text, 'none')) END,
              CASE WHEN n.measurement IS NULL THEN 'nothing'
                   ELSE format('measurement %s, %s us, standing %s, unconfirmed %s', n.measurement, n.us, n.standing,
                               coalesce(n.unconfirmed::text, 'none')) END)
FROM stored_candidate s
FULL JOIN candidate n USING (key, provider, candidate)
WHERE (s.measurement, s.run, s.run_time, s.us, s.error, s.standing, s.low, s.high, s.since_run, s.since_us, s.agreed,
       s.unconfirmed)
      IS DISTINCT FROM (n.measurement, n.run, n.run_time, n.us, n.error, n.standing, n.low, n.high, n.since_run, n.since_us,
                        n.agreed, n.unconfirmed)
ORDER BY key, provider, candidate
