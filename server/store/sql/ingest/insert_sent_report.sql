-- The same digest has the same report.
INSERT INTO sent_report (sent, report) VALUES ($1, $2) ON CONFLICT (sent) DO NOTHING
