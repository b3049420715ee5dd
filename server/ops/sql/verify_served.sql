-- Checks that every row that is or was served is a measurement of its key.
SELECT format('%s of shape key %s (provider %s) names measurement %s, %s', s.what, s.key, s.provider, s.measurement,
              CASE WHEN m.id IS NULL THEN 'which is missing'
                   WHEN m.provider <> s.provider THEN format('which belongs to provider %s', m.provider)
                   ELSE format('which belongs to candidate %s; expected %s', m.candidate, s.candidate) END)
FROM (SELECT 'the tuned row' AS what, key, provider, measurement, candidate
      FROM stored_tuned WHERE measurement IS NOT NULL
      UNION ALL
      SELECT format('the history from batch %s to %s', from_change, to_change), key, provider, measurement, NULL
      FROM stored_history) AS s
LEFT JOIN measurement m ON m.key = s.key AND m.id = s.measurement
WHERE m.id IS NULL OR m.provider <> s.provider OR m.candidate <> s.candidate
ORDER BY s.key, s.provider, s.measurement
