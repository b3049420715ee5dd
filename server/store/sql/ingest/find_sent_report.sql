SELECT report FROM sent_report WHERE sent = $1
