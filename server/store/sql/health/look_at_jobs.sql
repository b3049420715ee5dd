-- A server looks at the leases every second.
SELECT count(*) FILTER (WHERE state = 'parked'),
       count(*) FILTER (WHERE state = 'running' AND lease_expires < now() - interval '1 minute')
FROM job
